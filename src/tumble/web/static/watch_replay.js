// The page of a replay: attempts of one run, or of two beside each other, with one timeline.
import { getJson, store, stored } from "/static/api.js";
import { Timeline } from "/static/timeline.js";
import { Panel } from "/static/watch_panel.js";
import { replayAddress, resultWords, runLabel } from "/static/watch_parts.js";

const $ = (name) => document.querySelector(`#${name}`);
const run = location.pathname.split("/")[2];
const NAMES = { standard: "Standard colours", distinct: "Colours for colour blindness" };
const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
const options = {
  palette: stored("palette", "standard") in NAMES ? stored("palette", "standard") : "standard",
  letters: stored("letters", true),
};
let page = null; // the task of the first run
let framesPerSecond = 60;
let timeline = null;
let loading = true; // then nothing starts to play
let asked = 0; // the number of the last load

const panels = [0, 1].map((k) => new Panel(document.querySelector(`[data-panel="${k}"]`), {
  changed: () => { if (!loading) start(); },
  chosen: (attempt) => choose(k, attempt),
  touched: playOrPause,
  redraw: draw,
}));

// ---- the address

function inAddress() {
  const query = new URLSearchParams(location.search);
  const number = (name) => Number(query.get(name)) || null;
  return { task: query.get("task") ?? "", attempt: number("attempt"), beside: query.get("beside") ?? "", besideAttempt: number("beside_attempt") };
}

function toAddress() {
  const [first, second] = panels;
  history.replaceState({}, "", replayAddress(run, page.task.id, first.attempt, second.run, second.attempt));
}

// ---- playing

function draw() {
  for (const panel of panels) panel.draw(timeline ? timeline.frame : 0, options);
}

function showFrame(frame) {
  $("scrub").value = frame;
  $("time").textContent = `${(frame / framesPerSecond).toFixed(1)} s`;
  $("pause").textContent = timeline.playing ? "❚❚" : "▶";
  draw();
}

function start() {
  const frames = Math.max(...panels.map((panel) => panel.frames));
  $("scrub").max = frames - 1;
  $("pause").disabled = $("scrub").disabled = frames < 2;
  timeline.stop();
  timeline.frames = frames;
  timeline.seek(0);
  if (frames > 1 && !isStill) timeline.play();
  toAddress();
  $("status").textContent = "";
}

function playOrPause() {
  if (!timeline?.frames || $("scrub").disabled) return;
  timeline.toggle();
}

function seek(frame) {
  if (!timeline?.frames) return;
  timeline.playing = false;
  timeline.seek(frame);
}

// ---- what is shown

function showError(error) {
  $("status").textContent = error.message;
  $("status").className = "problem";
}

async function choose(which, attempt) {
  timeline.playing = false;
  await panels[which].go(attempt);
  toAddress();
}

// Shows what the address says. What was shown before stays, pale, until that is there.
async function load() {
  const wanted = inAddress();
  const number = ++asked;
  loading = true;
  $("panels").classList.add("loading");
  $("status").className = "";
  $("status").textContent = "Loading …";
  timeline?.stop();
  let problem = null;
  try {
    problem = await show(wanted, () => number === asked);
  } catch (error) {
    problem = error;
    if (number === asked) for (const panel of panels) panel.clear();
  }
  if (number !== asked) return; // something else was asked for meanwhile
  loading = false;
  $("panels").classList.remove("loading");
  if (panels[0].isOpen) start();
  if (problem) showError(problem);
}

// Returns an error if only the run beside it can't be shown.
async function show({ task: asked, attempt, beside, besideAttempt }, isCurrent) {
  const task = asked || (await getJson(`/watch/api/runs/${run}/tasks`)).tasks[0]?.id;
  if (!task) throw new Error("This run has no attempts yet.");
  const query = new URLSearchParams({ task, ...(beside ? { beside } : {}) });
  const found = await getJson(`/watch/api/runs/${run}/task?${query}`);
  const script = found.script ? await import(found.script) : null;
  const other = beside ? await getJson(`/watch/api/runs/${beside}/task?${new URLSearchParams({ task })}`).catch((error) => error) : null;
  if (!isCurrent()) return null;
  page = found;
  framesPerSecond = script?.framesPerSecond ?? framesPerSecond;
  timeline = new Timeline(framesPerSecond, showFrame);
  timeline.speed = Number($("speed").value);
  showTask();
  const isAlone = !other || other instanceof Error;
  if (isAlone) panels[1].clear();
  panels[1].root.hidden = isAlone;
  $("panels").classList.toggle("two", !isAlone);
  await Promise.all([panels[0].open(page, script, attempt), isAlone ? null : panels[1].open(other, script, besideAttempt)]);
  if (!isCurrent()) return null;
  explain();
  fillOthers(task, beside).catch(showError);
  return other instanceof Error ? new Error(`The run beside it can't be shown here: ${other.message}`) : null;
}

function showTask() {
  const { task, group, title, number, common, play, script } = page;
  const name = group && !group.includes(task.id) ? `${task.id} · ${group.replace(/^\S+ /, "")}` : task.id;
  document.title = `${name} · ${page.agent} · Watch · Tumble`;
  $("title").textContent = name;
  $("goal").textContent = `${title}, ${page.task_word} ${number} of ${common}`;
  for (const way of ["previous", "next"]) {
    const to = page[way];
    $(way).classList.toggle("disabled", !to);
    $(way).setAttribute("aria-disabled", String(!to));
    $(way).href = to ? replayAddress(run, to, null, inAddress().beside) : `/watch/${run}`;
  }
  $("play").hidden = !play;
  $("play").href = play || "/";
  $("playback").hidden = $("letters").hidden = $("palette-label").hidden = !script;
}

function explain() {
  const { view } = panels[0];
  if (view?.explain) view.explain($("goal"), options);
  $("letters").hidden = !view?.explain;
}

async function fillOthers(task, chosen) {
  const { runs } = await getJson(`/watch/api/runs/${run}/others?${new URLSearchParams({ task })}`);
  const choices = runs.map((other) => new Option(`${runLabel(other)}: ${resultWords(other, page)}`, other.id));
  $("beside").replaceChildren(new Option(runs.length ? "no other run" : `no other run has this ${page.task_word}`, ""), ...choices);
  $("beside").disabled = !runs.length;
  $("beside").value = runs.some((other) => other.id === chosen) ? chosen : "";
}

function goTo(address) {
  history.pushState({}, "", address);
  return load();
}

const goTask = (way) => page?.[way] && goTo(replayAddress(run, page[way], null, panels[1].run));

// ---- options

function setPalette(name) {
  options.palette = name;
  store("palette", name);
  $("palette").value = name;
  if (page && panels[0].view) explain();
  draw();
}

function toggleLetters() {
  options.letters = !options.letters;
  store("letters", options.letters);
  $("letters").setAttribute("aria-pressed", String(options.letters));
  if (panels[0].view) explain();
  draw();
}

function nextSpeed() {
  $("speed").selectedIndex = ($("speed").selectedIndex + 1) % $("speed").options.length;
  if (timeline) timeline.speed = Number($("speed").value);
}

// ---- events

const KEYS = {
  " ": playOrPause, "enter": playOrPause, "s": nextSpeed, ",": () => seek(Math.floor(timeline.frame) - 1), ".": () => seek(Math.floor(timeline.frame) + 1),
  "home": () => seek(0), "end": () => seek(Infinity), "n": () => goTask("next"), "p": () => goTask("previous"),
  "b": () => $("beside").focus(), "l": toggleLetters, "c": () => setPalette(options.palette === "standard" ? "distinct" : "standard"),
};

document.addEventListener("keydown", (event) => {
  if (!page || !timeline || event.ctrlKey || event.metaKey || event.altKey) return;
  const { target } = event;
  const key = event.key.toLowerCase();
  if (["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName)) return;
  if ([" ", "enter"].includes(key) && ["BUTTON", "A", "SUMMARY"].includes(target.tagName)) return;
  const second = event.shiftKey && panels[1].isOpen;
  if (key === "arrowleft") panels[second ? 1 : 0].step(-1);
  else if (key === "arrowright") panels[second ? 1 : 0].step(1);
  else if (key in KEYS) KEYS[key]();
  else return;
  event.preventDefault();
});

$("pause").addEventListener("click", playOrPause);
$("scrub").addEventListener("input", () => seek(Number($("scrub").value)));
$("speed").addEventListener("change", () => { if (timeline) timeline.speed = Number($("speed").value); });
$("letters").addEventListener("click", toggleLetters);
$("letters").setAttribute("aria-pressed", String(options.letters));
$("beside").addEventListener("change", () => goTo(replayAddress(run, page.task.id, panels[0].attempt, $("beside").value)));
for (const way of ["previous", "next"]) {
  $(way).addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    goTask(way);
  });
}
for (const [name, label] of Object.entries(NAMES)) $("palette").append(new Option(label, name));
$("palette").addEventListener("change", () => setPalette($("palette").value));
new ResizeObserver(() => {
  const resized = panels.map((panel) => panel.view?.resize()).some(Boolean);
  if (resized) draw();
}).observe($("panels"));
window.addEventListener("popstate", load);

setPalette(options.palette);
await load();
