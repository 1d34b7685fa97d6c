// The gallery: a card for each template; its tasks are shown, and their pictures loaded, when it is opened.
import { getJson, stored } from "/static/api.js";

const search = document.querySelector("#search");
const tier = document.querySelector("#tier");
const unsolved = document.querySelector("#unsolved");
const count = document.querySelector("#count");
const list = document.querySelector("#templates");
const random = document.querySelector("#random");
const ID = /^[0-9]{5}:[0-9]{3}$/;

const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
const isSolved = (id) => Boolean(stored(`phyre:${id}`, null)?.solved);
const idsOf = (template) => template.numbers.map((number) => `${template.id}:${number}`);

function taskLink(id) {
  const solved = isSolved(id);
  const picture = make("img", { src: `/phyre/pictures/${id}.svg`, alt: "", loading: "lazy", width: 96, height: 96 });
  const link = make("a", { href: `/phyre/${id}`, className: solved ? "task solved" : "task" }, picture,
    make("span", { textContent: solved ? `${id} ✓` : id }));
  link.setAttribute("aria-label", solved ? `Task ${id}, solved` : `Task ${id}`);
  return link;
}

function card(template) {
  const ids = idsOf(template);
  const first = ids.find((id) => !isSolved(id)) ?? ids[0];
  const solved = ids.filter(isSolved).length;
  const picture = make("img", { src: `/phyre/pictures/${first}.svg`, alt: "", loading: "lazy", width: 160, height: 160 });
  const heading = make("h2", {}, make("a", { href: `/phyre/${first}`, textContent: template.name }));
  const facts = make("p", { className: "facts", textContent: `${template.id} · tier ${template.tier} · ${solved} of ${ids.length} solved` });
  const tasks = make("div", { className: "tasks" });
  const details = make("details", {}, make("summary", { textContent: `All ${ids.length} tasks` }), tasks);
  details.addEventListener("toggle", () => {
    if (details.open && !tasks.childElementCount) tasks.append(...ids.map(taskLink));
  });
  const text = make("div", { className: "about" }, heading, facts, make("p", { textContent: template.idea }));
  const link = make("a", { href: `/phyre/${first}`, className: "picture", tabIndex: -1 }, picture);
  link.setAttribute("aria-hidden", "true");
  return make("li", {}, make("div", { className: "template" }, link, text), details);
}

function filter(cards) {
  const words = search.value.trim().toLowerCase();
  let shown = 0;
  for (const { template, element, text } of cards) {
    const fits = words.split(/\s+/).every((word) => text.includes(word) || template.id === word.split(":")[0])
      && (!tier.value || template.tier === tier.value)
      && (!unsolved.checked || !idsOf(template).every(isSolved));
    element.hidden = !fits;
    shown += fits;
  }
  count.textContent = shown === cards.length ? `${shown} templates` : `${shown} of ${cards.length} templates`;
}

try {
  const { templates } = await getJson("/phyre/api/gallery");
  const cards = templates.map((template) => ({
    template,
    element: card(template),
    text: `${template.name} ${template.idea} ${template.id}`.toLowerCase(),
  }));
  list.append(...cards.map(({ element }) => element));
  const choose = () => {
    const visible = cards.filter(({ element }) => !element.hidden);
    const ids = (visible.length ? visible : cards).flatMap(({ template }) => idsOf(template));
    const open = ids.filter((id) => !isSolved(id));
    const from = open.length ? open : ids;
    random.href = `/phyre/${from[Math.floor(Math.random() * from.length)]}`;
  };
  for (const field of [search, tier, unsolved]) field.addEventListener("input", () => { filter(cards); choose(); });
  document.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = search.value.trim();
    const found = cards.find(({ element }) => !element.hidden);
    if (ID.test(text)) location.href = `/phyre/${text}`;
    else if (found) location.href = found.element.querySelector("a").href;
  });
  filter(cards);
  choose();
} catch (error) {
  count.textContent = error.message;
  count.className = "problem";
}
