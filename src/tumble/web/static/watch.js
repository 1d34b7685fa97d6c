// The list of runs. Search and order are in the address, so that a list can be shared.
import { getJson } from "/static/api.js";
import { dateText, make, many, stateText } from "/static/watch_parts.js";

const $ = (name) => document.querySelector(`#${name}`);
const TYPING_MS = 200;
const READING_MS = 700;
const query = new URLSearchParams(location.search);
const order = { sort: query.get("sort") ?? "date", down: query.get("down") !== "false" };
let asked = 0; // the number of the last request: answers to earlier ones are dropped
let timer = null;

function row(run) {
  const cell = (label, ...children) => make("td", { data: { label } }, ...children);
  if (run.problem && !run.task_count) {
    return make("tr", { className: "broken" },
      cell("File", make("a", { href: `/watch/${run.id}`, textContent: run.name })),
      make("td", { colSpan: 6, className: "problem", textContent: run.problem, data: { label: "Problem" } }),
      cell("State", make("span", { className: "state bad", textContent: "broken" })));
  }
  const scores = run.problem ? [run.problem] : run.scores.map(([name, value]) => make("span", { className: "score" }, make("small", { textContent: name }), ` ${value}`));
  const agent = make("a", { href: `/watch/${run.id}`, textContent: run.agent });
  return make("tr", {},
    cell("Benchmark", run.title),
    cell("Agent", agent),
    cell("Tasks chosen", run.conditions),
    cell("Seed", String(run.seed ?? "")),
    cell("Score", ...scores),
    cell("Tasks", run.finished ? run.task_count.toLocaleString("en") : `${run.tasks} of ${run.task_count}`),
    cell("Date", dateText(run.date)),
    cell("State", make("span", { className: run.finished ? "state good" : "state", textContent: run.finished ? "finished" : "not finished", title: stateText(run) })));
}

function showOrder() {
  $("sort").value = order.sort;
  $("down").textContent = order.down ? "Descending" : "Ascending";
  for (const button of document.querySelectorAll("[data-sort]")) {
    const chosen = button.dataset.sort === order.sort;
    button.parentElement.setAttribute("aria-sort", chosen ? (order.down ? "descending" : "ascending") : "none");
  }
}

async function load(first = 0) {
  const number = ++asked;
  clearTimeout(timer);
  const wanted = new URLSearchParams({ search: $("search").value.slice(0, 200), sort: order.sort, down: order.down });
  const shown = new URLSearchParams([...wanted].filter(([name, value]) => value && !(name === "sort" && value === "date") && !(name === "down" && value === "true")));
  history.replaceState({}, "", shown.size ? `/watch/?${shown}` : "/watch/");
  showOrder();
  try {
    const { runs, found, total, pending } = await getJson(`/watch/api/runs?${wanted}&first=${first}`);
    if (number !== asked) return;
    const rows = runs.map(row);
    if (first) $("runs").append(...rows);
    else $("runs").replaceChildren(...rows);
    const count = $("runs").childElementCount;
    $("more").hidden = count >= found;
    const reading = pending ? `; reading ${many(pending, "more log")} …` : "";
    $("count").textContent = total || pending ? `${found === total ? "" : `${found} of `}${many(total, "run")}${reading}` : "No run logs in this folder yet.";
    $("count").className = "";
    if (pending && !first) timer = setTimeout(load, READING_MS);
  } catch (error) {
    $("count").textContent = error.message;
    $("count").className = "problem";
  }
}

function sortBy(name, down) {
  Object.assign(order, { sort: name, down });
  load();
}

$("search").value = query.get("search") ?? "";
if (![...$("sort").options].some(({ value }) => value === order.sort)) order.sort = "date";
$("search").addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(load, TYPING_MS); });
$("sort").addEventListener("change", () => sortBy($("sort").value, order.down));
$("down").addEventListener("click", () => sortBy(order.sort, !order.down));
for (const button of document.querySelectorAll("[data-sort]")) {
  const { sort } = button.dataset;
  button.addEventListener("click", () => sortBy(sort, sort === order.sort ? !order.down : ["score", "tasks", "date", "finished"].includes(sort)));
}
$("more").addEventListener("click", () => load($("runs").childElementCount));
document.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const first = document.querySelector("#runs a");
  if (first) location.href = first.href;
});
load();
