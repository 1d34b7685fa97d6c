// A run: its score, and its tasks by template with links to their replays, perhaps beside another run.
import { getJson } from "/static/api.js";
import { capital, dateText, make, many, percent, replayAddress, resultSigns, resultWords, runLabel, stateText } from "/static/watch_parts.js";

const $ = (name) => document.querySelector(`#${name}`);
const TYPING_MS = 200;
const id = location.pathname.split("/")[2];
const api = `/watch/api/runs/${id}`;
let run = null;
let timer = null;
let beside = new URLSearchParams(location.search).get("beside") ?? "";

function taskLink(task) {
  const words = resultWords(task, run);
  return make("a", {
    className: `task-result ${task.passed ? "solved" : "unsolved"}`,
    href: replayAddress(id, task.id, null, beside),
    title: words,
    label: `${capital(run.task_word)} ${task.id}: ${words}`,
  }, make("span", { textContent: task.id }), make("b", { textContent: resultSigns(task, run) }));
}

// Tasks of a query, a page at a time.
async function addTasks(target, query, count) {
  const first = target.querySelectorAll("a").length;
  const { tasks, found } = await getJson(`${api}/tasks?${new URLSearchParams({ ...query, first })}`);
  target.querySelector("button")?.remove();
  target.append(...tasks.map(taskLink));
  const left = found - target.querySelectorAll("a").length;
  if (left > 0) {
    const more = make("button", { textContent: `Show more (${left.toLocaleString("en")} left)` });
    more.addEventListener("click", () => addTasks(target, query));
    target.append(more);
  }
  count?.(found);
}

function group({ name, tasks, solved, attempts, passed }) {
  const every = run.every_attempt;
  const [part, whole] = every ? [passed, attempts] : [solved, tasks];
  const words = every ? `${part} of ${many(whole, run.attempt_word)}` : `${part} of ${many(whole, run.task_word)}`;
  const bar = make("span", { className: "bar" }, make("i"));
  bar.firstChild.style.width = whole ? `${100 * part / whole}%` : "0";
  const list = make("div", { className: "task-results" });
  const details = make("details", { className: "group" }, make("summary", {},
    make("span", { className: "name", textContent: name || `All ${run.task_word}s` }), bar,
    make("span", { className: "share", textContent: percent(part, whole) }),
    make("span", { className: "counts", textContent: words })), list);
  details.addEventListener("toggle", () => {
    if (details.open && !list.childElementCount) addTasks(list, { group: name, only: $("only").value }).catch(showError);
  });
  return details;
}

function showGroups() {
  const search = $("search").value.trim().slice(0, 200);
  $("count").className = "";
  if (search) {
    const list = make("div", { className: "task-results" });
    $("groups").replaceChildren(list);
    addTasks(list, { search, only: $("only").value }, (found) => { $("count").textContent = many(found, run.task_word); }).catch(showError);
    return;
  }
  const open = new Set([...document.querySelectorAll("#groups details[open] .name")].map((one) => one.textContent));
  $("groups").replaceChildren(...run.groups.map(group));
  const found = run.groups.length === 1 ? [...$("groups").children] : [...$("groups").children].filter((one) => open.has(one.querySelector(".name").textContent));
  for (const one of found) one.open = true;
  $("count").textContent = run.groups.length > 1 ? many(run.groups.length, "template") : "";
}

function showError(error) {
  $("count").textContent = error.message;
  $("count").className = "problem";
}

function showFacts() {
  const scores = run.scores.map(([name, value]) => [name, value]);
  const facts = [
    ...scores, [`${run.task_word}s`, run.finished ? run.task_count.toLocaleString("en") : `${run.tasks} of ${run.task_count}`],
    [`${run.attempt_word}s`, run.attempts.toLocaleString("en")], ["state", stateText(run)], ["date", dateText(run.date)], ["physics", run.physics],
    ["version", run.version], ["file", run.name],
  ];
  $("facts").replaceChildren(...facts.filter(([, value]) => value !== "").map(([name, value]) =>
    make("div", {}, make("dt", { textContent: capital(name) }), make("dd", { textContent: value }))));
}

async function fillOthers() {
  const { tasks } = await getJson(`${api}/tasks`);
  if (!tasks.length) return;
  const { runs } = await getJson(`${api}/others?${new URLSearchParams({ task: tasks[0].id })}`);
  $("beside").append(...runs.map((other) => new Option(runLabel(other), other.id)));
  $("beside").value = runs.some((other) => other.id === beside) ? beside : "";
  beside = $("beside").value;
}

async function load() {
  run = await getJson(api);
  const name = run.agent || run.name;
  document.title = `${name} · Watch · Tumble`;
  $("title").textContent = name;
  $("about").textContent = [run.title, run.conditions, run.seed === null || run.people ? "" : `seed ${run.seed}`].filter(Boolean).join(" · ");
  if (run.problem) {
    $("summary").textContent = `This log can't be shown: ${run.problem}`;
    $("summary").className = "summary problem";
  } else {
    $("summary").textContent = run.summary;
  }
  const notes = [
    !run.finished && run.task_count ? `This run is not finished: ${run.tasks} of ${many(run.task_count, run.task_word)}. Reload the page to see what was added.` : "",
    run.warning,
    run.other_physics ? `It was made with physics ${run.physics}; this server has ${run.other_physics}, so that replays may differ.` : "",
  ];
  $("notes").replaceChildren(...notes.filter(Boolean).map((text) => make("li", { textContent: text })));
  showFacts();
  $("found").hidden = !run.groups.length;
  if (!run.groups.length) return;
  $("search-label").textContent = `Search ${run.task_word}s`;
  await fillOthers();
  showGroups();
}

$("search").addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(showGroups, TYPING_MS); });
$("only").addEventListener("change", showGroups);
$("beside").addEventListener("change", () => {
  beside = $("beside").value;
  history.replaceState({}, "", beside ? `/watch/${id}?beside=${beside}` : `/watch/${id}`);
  showGroups();
});
document.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const first = document.querySelector("#groups a");
  if (first) location.href = first.href;
});
try {
  await load();
} catch (error) {
  $("summary").textContent = error.message;
  $("summary").className = "summary problem";
}
