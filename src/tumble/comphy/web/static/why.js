// Why an answer is right: the steps of the program, each with what it selects; bodies and events can be pointed at.
import { make } from "/comphy/static/dom.js";

const MOST = 6; // items of a step that are shown at once

export function chip({ text, bodies = [], frame }, point) {
  if (!bodies.length && frame === undefined) return make("span", { className: "chip", textContent: text });
  const button = make("button", { type: "button", className: "chip", textContent: text });
  button.title = frame === undefined ? "Show it in the video" : "Show this moment";
  button.addEventListener("click", () => point(bodies, frame));
  return button;
}

function step({ operator, words, depth, items }, point) {
  const chips = items.slice(0, MOST).map((item) => chip(item, point));
  if (!items.length) chips.push(make("span", { className: "chip", textContent: "none" }));
  if (items.length > MOST) chips.push(make("span", { className: "chip", textContent: `and ${items.length - MOST} more` }));
  const row = make("li", {}, make("span", { className: "words", textContent: words }),
    make("code", { textContent: operator }), make("span", { className: "chips" }, ...chips));
  row.style.setProperty("--depth", depth - 1);
  return row;
}

const list = (steps, point) => make("ol", { className: "steps" }, ...steps.map((one) => step(one, point)));

// What is told below an answered question.
export function explanation(told, point) {
  const parts = [];
  if (told.world) {
    const { title, events } = told.world;
    const chips = events.length ? events.map((event) => chip(event, point)) : [make("span", { className: "chip", textContent: "no bodies collide in view" })];
    parts.push(make("h3", { textContent: title }), make("p", { className: "chips" }, ...chips));
  }
  parts.push(make("h3", { textContent: "The program, step by step" }));
  if (told.steps) parts.push(list(told.steps, point));
  else {
    const open = Math.max(0, told.correct.indexOf(false));
    parts.push(...told.options.map(({ text, answer, steps }, k) => make("details", { className: "option", open: k === open },
      make("summary", { textContent: `${k + 1}. ${text}: ${answer === "correct" ? "right" : "not right"}` }), list(steps, point))));
  }
  return parts;
}

// What is told when all questions of a set are answered.
export function summary({ family, bodies, events }, point) {
  const about = { mass: "One body is heavy.", charge: "Two bodies are charged.", both: "One body is heavy, two are charged." };
  const cells = (tag, ...texts) => make("tr", {}, ...texts.map((text) => make(tag, { textContent: text })));
  const rows = bodies.map(({ name, mass, charge }, k) => {
    const row = cells("td", "", mass, charge);
    row.firstChild.append(chip({ text: name, bodies: [k] }, point));
    return row;
  });
  const table = make("table", {}, make("thead", {}, cells("th", "body", "mass", "charge")), make("tbody", {}, ...rows));
  return [make("h3", { textContent: about[family] }), table, make("h3", { textContent: "What happens in the target" }),
    make("p", { className: "chips" }, ...events.map((event) => chip(event, point)))];
}
