// What was answered, kept in this browser, and accuracies beside the published ones.
import { store, stored } from "/static/api.js";
import { make } from "/comphy/static/dom.js";

const PREFIX = "comphy:";
const TITLES = { factual: "factual", predictive: "predictive", counterfactual: "counterfactual" };
const percent = (part, whole) => whole ? (100 * part / whole).toFixed(0) : "–";

export function recordOf(id) {
  return stored(PREFIX + id, null) ?? { answers: {}, marks: {} };
}

export function keepRecord(id, record) {
  store(PREFIX + id, record);
}

export function forget(id) {
  try {
    localStorage.removeItem(PREFIX + id);
  } catch { /* private windows may refuse */ }
}

// The records of all sets, by id.
export function records() {
  const found = {};
  try {
    for (const key of Object.keys(localStorage)) {
      const id = key.slice(PREFIX.length);
      if (key.startsWith(PREFIX) && /^(div-)?\d+-\d{5}$/.test(id)) found[id] = recordOf(id);
    }
  } catch { /* as above */ }
  return found;
}

const worldOf = (id) => id.startsWith("div-") ? "div" : "plain";

// The marks of all sets, or of those of a world.
function marks(world = null) {
  const own = Object.entries(records()).filter(([id]) => !world || worldOf(id) === world);
  return own.flatMap(([, { marks: some }]) => Object.values(some));
}

// Whether a question about a set of a world was answered.
export const hasPlayed = (world) => marks(world).length > 0;

function tally(some) {
  return {
    questions: some.length,
    right: some.filter(({ correct }) => correct.every(Boolean)).length,
    parts: some.reduce((sum, { correct }) => sum + correct.length, 0),
    rightParts: some.reduce((sum, { correct }) => sum + correct.filter(Boolean).length, 0),
  };
}

export function soFar(world = null) {
  const { questions, right } = tally(marks(world));
  return questions ? `${right} of ${questions} questions right so far.` : "";
}

// A table of one's own accuracies by kind of question, beside those of people and of guessing in the paper.
export function scoreTable({ paper, world, people, random }) {
  const all = marks(world);
  const cells = (tag, ...texts) => make("tr", {}, ...texts.map((text, k) => make(k ? tag : "th", { textContent: text, scope: k ? "" : "row" })));
  const pair = (kind, [option, question]) => kind === "factual" ? `${question}` : `${option} / ${question}`;
  const rows = Object.keys(TITLES).map((kind) => {
    const { questions, right, parts, rightParts } = tally(all.filter((mark) => mark.kind === kind));
    return cells("td", TITLES[kind], pair(kind, [percent(rightParts, parts), percent(right, questions)]), String(questions),
      pair(kind, people[kind]), pair(kind, random[kind]));
  });
  return [make("p", { className: "sofar", textContent: soFar(world) || "Nothing answered yet." }),
    make("table", { className: "score" }, make("thead", {}, cells("th", "per cent", "you", "n", "people", "random")), make("tbody", {}, ...rows)),
    make("p", { className: "note", textContent: `Per option / per question; n: your questions. People and random answers: ${paper}, on its own questions.` })];
}

// One's own accuracy by template.
export function familyTable() {
  const families = new Map();
  for (const mark of marks()) families.set(mark.family, [...families.get(mark.family) ?? [], mark]);
  const rows = [...families].sort(([one], [other]) => one < other ? -1 : 1).map(([family, own]) => {
    const { questions, right } = tally(own);
    return make("tr", {}, make("th", { textContent: family.replaceAll("_", " "), scope: "row" }),
      make("td", { textContent: percent(right, questions) }), make("td", { textContent: questions }));
  });
  const head = ["template", "per cent right", "n"].map((textContent) => make("th", { textContent }));
  return make("table", { className: "score" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
}
