// The page of a task: place balls, let it run, watch, try again.
import { getJson, postJson, store, stored } from "/static/api.js";
import { Motion } from "/static/motion.js";
import { PALETTES } from "/static/palette.js";
import { Board } from "/static/scene.js";
import { EMPTY, openSession } from "/static/session.js";
import { Timeline } from "/static/timeline.js";
import { listen } from "/phyre/static/gestures.js";
import { showGoal } from "/phyre/static/goal.js";
import { OWN, ownTask } from "/phyre/static/own.js";
import { TaskPainter } from "/phyre/static/painter.js";
import { PlacedBalls } from "/phyre/static/placed_balls.js";
import { actionOf } from "/phyre/static/placement.js";
import { showResults } from "/phyre/static/results.js";

const $ = (name) => document.querySelector(`#${name}`);
const canvas = $("canvas");
const KEPT_TRIES = 30;
const STEPS_PER_SECOND = 60;
const FINGER = 8; // pixels of the screen beside a ball that still hit it
const seconds = (steps) => `${(steps / STEPS_PER_SECOND).toFixed(1)} s`;

const session = await openSession("phyre", ({ action }) => action, () => load());
let task = null;
let board = null;
let painter = null;
let balls = null; // PlacedBalls
let grabbed = null; // where on the chosen ball it is held
let pressed = []; // the balls before the pointer was pressed
let pinched = null; // its radius when a pinch began
let mode = "loading"; // placing, waiting, watching
let shown = null; // the attempt that is watched: { balls, motion, status, ... }
let previous = null; // the one before it, as a ghost
let record = { ...EMPTY };
let palette = stored("palette", "standard") in PALETTES ? stored("palette", "standard") : "standard";
let letters = stored("letters", true);
let ghosts = stored("ghosts", true);

const timeline = new Timeline(STEPS_PER_SECOND, (frame) => {
  $("scrub").value = frame;
  $("time").textContent = seconds(frame);
  $("pause").textContent = timeline.playing ? "❚❚" : "▶";
  draw();
  if (frame >= timeline.frames - 1) finish();
});

// ---- drawing

function draw() {
  if (!painter) return;
  const watching = mode === "watching";
  painter.draw({
    palette,
    letters,
    clip: watching ? shown : null,
    frame: watching ? Math.floor(timeline.frame) : 0,
    before: watching && ghosts && session.ghosts ? previous : null,
    placed: watching ? null : { balls: balls.all, chosen: balls.chosen, wrong: balls.problems() },
    tries: ghosts && session.ghosts ? record.tries : [],
  });
}

// ---- words

function say(text, kind = "") {
  $("status").textContent = text;
  $("status").className = `status ${kind}`;
}

const tellGoal = () => showGoal($("goal"), task, palette, letters);

function showCounts() {
  const left = Math.max(0, task.attempts - record.count);
  $("left").textContent = left;
  $("restart").hidden = !record.count;
  $("solution").disabled = !task.solution || !record.count;
  $("agents").disabled = !record.count;
  $("solution").title = $("agents").title = record.count ? "" : "After your first attempt";
  if (!task.solution) $("solution").title = "No solution of this task is stored";
  $("idea").hidden = !record.solved;
}

const isDone = () => mode === "watching" && shown.told && shown.mine && (shown.over ?? shown.solved)
  && (session.studies || Boolean(task.next));

// In a study the outcome is seen before anything else is done.
const mustWatch = () => session.studies && mode === "watching" && !shown.told;

// What can be done now.
function update() {
  const placing = mode === "placing";
  const wrong = placing ? balls.problems() : [];
  const { complete } = balls;
  const left = task.attempts - record.count > 0;
  $("run").disabled = mode === "waiting" || (placing && (!complete || wrong.some(Boolean) || !left));
  $("run").textContent = mode !== "watching" ? "Run" : mustWatch() ? "Skip to the end" : isDone() ? "Next task" : "Try again";
  $("back").textContent = mode !== "watching" ? "Clear" : isDone() && !session.studies ? "Place again" : "Replay";
  $("back").disabled = mode === "waiting" || (placing && !balls.all.length);
  $("size").disabled = !placing || !balls.all.length;
  $("size").value = balls.radius;
  $("size-value").textContent = $("size").value;
  $("pause").disabled = $("scrub").disabled = mode !== "watching";
  canvas.classList.toggle("watching", mode === "watching");
  showBallButtons();
  if (!placing) return;
  const first = wrong.findIndex(Boolean);
  const many = task.balls > 1;
  if (first >= 0) say(`${many ? `Ball ${first + 1}` : "The ball"} ${wrong[first]}.`, "problem");
  else if (!left) say("No attempts left. Start over, or go to the next task.", "problem");
  else if (complete) say(`Ready: run it, or drag ${many ? "a" : "the"} ball to move it.`);
  else say(balls.all.length ? "Now place the second ball." : `Click or tap where ${many ? "the first" : "the"} ball should be.`);
}

function showBallButtons() {
  const row = $("balls");
  if (task.balls < 2) return;
  if (row.childElementCount !== task.balls) {
    row.replaceChildren(...Array.from({ length: task.balls }, (_, k) => {
      const button = document.createElement("button");
      button.textContent = `Ball ${k + 1}`;
      button.addEventListener("click", () => choose(k));
      return button;
    }));
  }
  [...row.children].forEach((button, k) => {
    button.setAttribute("aria-pressed", String(k === balls.chosen));
    button.disabled = mode !== "placing" || k > balls.all.length;
  });
}

// ---- placing

function changed() {
  update();
  draw();
}

function choose(index) {
  balls.choose(index);
  changed();
}

function moveTo(x, y) {
  balls.moveTo(x, y);
  changed();
}

function addBall(x, y) {
  balls.add(x, y);
  changed();
}

function resizeBy(change) {
  if (mode !== "placing" || !balls.ball) return;
  balls.resizeBy(change);
  changed();
}

function removeBall() {
  if (mode !== "placing" || !balls.ball) return;
  balls.remove();
  changed();
}

function placeByKey(dx, dy) {
  if (mode === "watching") back();
  if (mode !== "placing") return;
  if (!balls.ball) addBall(...balls.freePlace());
  else moveTo(balls.ball.x + dx, balls.ball.y + dy);
}

// ---- attempts

async function run() {
  if (mustWatch()) return timeline.seek(Infinity);
  if (mode === "watching") return isDone() ? nextTask() : back();
  if ($("run").disabled) return undefined;
  return attempt(actionOf(balls.all), true);
}

async function attempt(action, mine) {
  performance.mark("attempt");
  const before = mode;
  mode = "waiting";
  update();
  say("Simulating …");
  let answer;
  try {
    answer = task.own ? await postJson("/phyre/api/own/attempts", { own: task.own, action })
      : await session.attempt({ task: task.id, action });
  } catch (error) {
    mode = before === "watching" ? "watching" : "placing";
    update();
    say(error.message, "problem");
    return;
  }
  if (answer.status === 0) {
    mode = "placing";
    update();
    say(`Not a valid place: ${answer.problem}.`, "problem");
    draw();
    return;
  }
  previous = shown?.mine ? shown : previous;
  shown = { ...answer, motion: new Motion(answer.motion), mine, told: false };
  mode = "watching";
  if (mine) count(answer);
  update();
  say(mine ? "Running …" : "A stored solution …");
  $("scrub").max = answer.steps;
  timeline.start(answer.motion.frames);
  requestAnimationFrame(() => performance.measure("click to first frame", "attempt"));
}

function count(answer) {
  record.count += 1;
  record.solved ||= answer.solved;
  record.tries = [...record.tries, { balls: answer.balls, solved: answer.solved }].slice(-KEPT_TRIES);
  keepRecord();
}

// What was tried at a task of one's own is forgotten: it may change.
function keepRecord() {
  if (!task.own) session.keep(task, record);
}

// The outcome is told when it has been seen.
function finish() {
  if (mode !== "watching" || shown.told) return;
  shown.told = true;
  showCounts();
  update();
  const many = record.count === 1 ? "1 attempt" : `${record.count} attempts`;
  if (!shown.mine) say(`That was a stored solution: ${seconds(shown.steps)}.`);
  else if (shown.solved) say(`Solved after ${seconds(shown.steps)}, with ${many}!`, "solved");
  else if (shown.over) say(`Not solved in ${seconds(shown.steps)}, and no attempts left.`);
  else say(`Not solved in ${seconds(shown.steps)}. Change something and try again.`);
  if (!shown.over) session.ready();
}

function back() {
  if (mode !== "watching" || mustWatch() || (session.studies && shown.over)) return;
  timeline.stop();
  mode = "placing";
  showStart();
  changed();
  showCounts();
  canvas.focus({ preventScroll: true });
}

async function watchSolution() {
  try {
    const { action } = await getJson(`/phyre/api/tasks/${task.id}/solution`);
    await attempt(action, false);
  } catch (error) {
    say(error.message, "problem");
  }
}

async function toggleAgents() {
  const open = $("results").hidden;
  $("results").hidden = !open;
  $("agents").setAttribute("aria-expanded", String(open));
  if (!open) return;
  try {
    await showResults($("results"), task.id);
  } catch (error) {
    $("results").textContent = error.message;
  }
}

// ---- tasks

async function load(id) {
  mode = "loading";
  timeline.stop();
  try {
    task = id === OWN ? await ownTask() : await session.load(id);
  } catch (error) {
    say(error.message, "problem");
    return;
  }
  balls = new PlacedBalls(task);
  shown = previous = null;
  record = task.own ? { ...EMPTY } : session.record(task);
  board = new Board(canvas, task.width, task.height);
  painter = new TaskPainter(board, task);
  mode = "placing";
  $("title").textContent = task.name ?? `${task.id} · ${task.template} · tier ${task.tier}`;
  document.title = `${$("title").textContent} · PHYRE · Tumble`;
  $("idea").textContent = task.idea;
  $("next").href = `/phyre/${task.next ?? ""}`;
  $("previous").href = `/phyre/${task.previous ?? ""}`;
  $("next").hidden = $("previous").hidden = $("agents").hidden = Boolean(task.own);
  $("edit").href = task.own ? "/phyre/edit" : `/phyre/edit?from=${task.id}`;
  $("edit").textContent = task.own ? "Edit it" : "Edit a copy";
  $("results").hidden = true;
  $("agents").setAttribute("aria-expanded", "false");
  $("balls").replaceChildren();
  showStart();
  tellGoal();
  showCounts();
  changed();
  session.ready();
}

async function nextTask() {
  if (!session.studies) return go(task.next);
  await load();
  return canvas.focus({ preventScroll: true });
}

async function go(id) {
  if (!id) return;
  history.pushState({}, "", `/phyre/${id}`);
  await load(id);
  canvas.focus({ preventScroll: true });
}

async function goRandom() {
  const { templates } = await getJson("/phyre/api/gallery");
  const { id, numbers } = templates[Math.floor(Math.random() * templates.length)];
  await go(`${id}:${numbers[Math.floor(Math.random() * numbers.length)]}`);
}

// ---- options

function setPalette(name) {
  palette = name;
  store("palette", name);
  $("palette").value = name;
  if (task) tellGoal();
  draw();
}

function toggle(name) {
  if (name === "ghosts") ghosts = !ghosts;
  else letters = !letters;
  store("ghosts", ghosts);
  store("letters", letters);
  showOptions();
  if (task) tellGoal();
  draw();
}

function showOptions() {
  $("ghosts").setAttribute("aria-pressed", String(ghosts));
  $("letters").setAttribute("aria-pressed", String(letters));
}

function nextSpeed() {
  const select = $("speed");
  select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
  timeline.speed = Number(select.value);
}

// The timeline before a run.
function showStart() {
  $("scrub").value = 0;
  $("time").textContent = seconds(0);
  $("pause").textContent = "▶";
}

function playOrPause() {
  if (mode !== "watching") return;
  timeline.toggle();
}

function step(change) {
  if (mode !== "watching") return;
  timeline.playing = false;
  timeline.seek(Math.floor(timeline.frame) + change);
}

// ---- events

listen(canvas, {
  press(event) {
    if (mode === "watching") back();
    if (mode !== "placing") return;
    const [x, y] = board.place(event);
    const hit = balls.at([x, y], board.unit(FINGER));
    pressed = balls.copy();
    if (hit >= 0) {
      choose(hit);
      grabbed = [balls.ball.x - x, balls.ball.y - y];
    } else {
      grabbed = [0, 0];
      if (!balls.complete) addBall(x, y);
      else moveTo(x, y);
    }
    canvas.classList.add("grab");
  },
  drag(event) {
    if (mode !== "placing" || !grabbed || !balls.ball) return;
    const [x, y] = board.place(event);
    moveTo(x + grabbed[0], y + grabbed[1]);
  },
  release() {
    grabbed = pinched = null;
    canvas.classList.remove("grab");
  },
  pinch(ratio) {
    if (mode !== "placing" || !balls.ball) return;
    if (pinched === null) {
      if (pressed.length === balls.all.length) balls.all = pressed; // the first finger was not meant to move it
      pinched = balls.radius;
      grabbed = null;
    }
    resizeBy(Math.round(pinched * ratio) - balls.radius);
  },
  wheel: resizeBy,
});

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const KEYS = {
  "+": () => resizeBy(1), "=": () => resizeBy(1), "-": () => resizeBy(-1), "_": () => resizeBy(-1),
  "1": () => choose(0), "2": () => choose(1), "Delete": removeBall, "Backspace": removeBall,
  "r": back, "Escape": back, "n": () => go(task.next), "p": () => go(task.previous), "x": goRandom,
  "s": nextSpeed, ",": () => step(-1), ".": () => step(1), "Home": () => step(-Infinity), "End": () => step(Infinity),
  "g": () => toggle("ghosts"), "l": () => toggle("letters"),
  "c": () => setPalette(palette === "standard" ? "distinct" : "standard"),
};

if (session.studies) for (const key of "npx") delete KEYS[key];

document.addEventListener("keydown", (event) => {
  if (!task || event.ctrlKey || event.metaKey || event.altKey) return;
  const { target, key } = event;
  if (["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName)) return;
  const presses = ["BUTTON", "A", "SUMMARY"].includes(target.tagName);
  if (key in ARROWS && !presses) {
    const by = event.shiftKey ? 10 : 1;
    placeByKey(ARROWS[key][0] * by, ARROWS[key][1] * by);
  } else if ((key === "Enter" || key === " ") && !presses) {
    if (mode === "watching" && !shown.told) playOrPause();
    else run();
  } else if (key.toLowerCase() in KEYS || key in KEYS) {
    (KEYS[key] ?? KEYS[key.toLowerCase()])();
  } else {
    return;
  }
  event.preventDefault();
});

$("run").addEventListener("click", run);
$("back").addEventListener("click", () => {
  if (isDone() && !session.studies) return back();
  if (mode === "watching") return timeline.start(timeline.frames);
  balls.clear();
  return changed();
});
$("size").addEventListener("input", () => resizeBy(Number($("size").value) - balls.radius));
$("pause").addEventListener("click", playOrPause);
$("scrub").addEventListener("input", () => { timeline.playing = false; timeline.seek(Number($("scrub").value)); });
$("speed").addEventListener("change", () => { timeline.speed = Number($("speed").value); });
$("solution").addEventListener("click", watchSolution);
$("agents").addEventListener("click", toggleAgents);
$("restart").addEventListener("click", () => {
  record = { ...EMPTY };
  keepRecord();
  previous = null;
  back();
  showCounts();
  changed();
});
$("ghosts").addEventListener("click", () => toggle("ghosts"));
$("letters").addEventListener("click", () => toggle("letters"));
$("random").addEventListener("click", goRandom);
for (const name of ["next", "previous"]) {
  $(name).addEventListener("click", (event) => {
    if (!task || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(task[name]);
  });
}
for (const [name, { label }] of Object.entries(PALETTES)) $("palette").append(new Option(label, name));
$("palette").addEventListener("change", () => setPalette($("palette").value));
new ResizeObserver(() => { if (board?.resize()) draw(); }).observe(canvas);
const taskInAddress = () => decodeURIComponent(location.pathname.split("/").pop());
window.addEventListener("popstate", () => load(taskInAddress()));

showOptions();
setPalette(palette);
await load(taskInAddress());
