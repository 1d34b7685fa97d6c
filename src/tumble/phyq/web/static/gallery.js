// The gallery: templates by scenario with their pictures; the tasks of a template are shown when it is opened.
import { getJson, stored } from "/static/api.js";
import { acceptLevels, keepLevel } from "/phyq/static/own.js";

const $ = (name) => document.querySelector(`#${name}`);
const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
const isSolved = (id) => Boolean(stored(`phyq:${id}`, null)?.solved);
const many = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
let perTemplate = 0;
const idsOf = ({ id }) => Array.from({ length: perTemplate }, (_, k) => `${id}:${String(k).padStart(3, "0")}`);

function say(text, kind = "") {
  $("count").textContent = text;
  $("count").className = kind;
}

function picture(id, width) {
  return make("img", { src: `/phyq/pictures/${id}.svg`, alt: "", loading: "lazy", width, height: width * 9 / 16 });
}

function taskLink(id) {
  const solved = isSolved(id);
  const link = make("a", { href: `/phyq/${id}`, className: solved ? "task solved" : "task" }, picture(id, 128),
    make("span", { textContent: solved ? `${id} ✓` : id }));
  link.setAttribute("aria-label", solved ? `Level ${id}, solved` : `Level ${id}`);
  return link;
}

function card(template) {
  const ids = idsOf(template);
  const first = ids.find((id) => !isSolved(id)) ?? ids[0];
  const solved = ids.filter(isSolved).length;
  const link = make("a", { href: `/phyq/${first}`, className: "template" }, picture(first, 240),
    make("strong", { textContent: template.id }),
    make("span", { textContent: `${many(template.birds, "bird")}, ${many(template.pigs, "pig")}${solved ? ` · ${solved} solved` : ""}` }));
  link.setAttribute("aria-label", `Play template ${template.id}: ${many(template.birds, "bird")}, ${many(template.pigs, "pig")}`);
  const tasks = make("div", { className: "tasks" });
  const details = make("details", {}, make("summary", { textContent: `All ${ids.length} levels` }), tasks);
  details.addEventListener("toggle", () => {
    if (details.open && !tasks.childElementCount) tasks.append(...ids.map(taskLink));
  });
  return make("li", {}, link, details);
}

function section({ number, name, templates }) {
  const cards = templates.map((template) => ({ template, element: card(template) }));
  const heading = make("h2", { textContent: `${number}. ${name}` });
  const list = make("ul", { className: "templates" }, ...cards.map(({ element }) => element));
  return { number, cards, element: make("section", {}, heading, list) };
}

function filter(sections) {
  const words = $("search").value.trim();
  let shown = 0;
  for (const { number, cards, element } of sections) {
    let here = 0;
    for (const { template, element: one } of cards) {
      const fits = (!words || template.id.startsWith(words.split(":")[0]))
        && (!$("scenario").value || Number($("scenario").value) === number)
        && (!$("unsolved").checked || !idsOf(template).every(isSolved));
      one.hidden = !fits;
      here += fits;
    }
    element.hidden = !here;
    shown += here;
  }
  say(many(shown, "kind") + " of level");
  const visible = sections.flatMap(({ cards }) => cards).filter(({ element }) => !element.hidden);
  const ids = visible.flatMap(({ template }) => idsOf(template));
  const open = ids.filter((id) => !isSolved(id));
  const from = open.length ? open : ids;
  if (from.length) $("random").href = `/phyq/${from[Math.floor(Math.random() * from.length)]}`;
}

acceptLevels($("file"), {
  opened(level) { keepLevel(level); location.href = "/phyq/own"; },
  failed: (message) => say(message, "problem"),
});

try {
  const { scenarios, tasks } = await getJson("/phyq/api/gallery");
  perTemplate = tasks;
  const sections = scenarios.map(section);
  $("scenario").append(...scenarios.map(({ number, name }) => new Option(`${number}. ${name}`, number)));
  $("scenarios").append(...sections.map(({ element }) => element));
  for (const name of ["scenario", "search", "unsolved"]) $(name).addEventListener("input", () => filter(sections));
  document.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = $("search").value.trim();
    const found = sections.flatMap(({ cards }) => cards).find(({ element }) => !element.hidden);
    if (/^[0-9]+\.[0-9]+:[0-9]{3}$/.test(text)) location.href = `/phyq/${text}`;
    else if (found) location.href = found.element.querySelector("a").href;
  });
  filter(sections);
} catch (error) {
  say(error.message, "problem");
}
