// The editor of tasks: what is drawn is the record of a task file, checked and searched by the server after each change.
import { getJson, postJson, store, stored } from "/static/api.js";
import { listenToKeys } from "/static/edit_keys.js";
import { drawHandles, drawMarks } from "/static/edit_painter.js";
import { receiveFiles, save } from "/static/files.js";
import { Dragging, boxOf, snapped } from "/static/handles.js";
import { History } from "/static/history.js";
import { Motion } from "/static/motion.js";
import { PALETTES } from "/static/palette.js";
import { Board } from "/static/scene.js";
import { Search } from "/static/search.js";
import { Timeline } from "/static/timeline.js";
import { Draft, SIDE } from "/phyre/static/draft.js";
import { TaskVerdict } from "/phyre/static/edit_verdict.js";
import { listen } from "/phyre/static/gestures.js";
import { showGoal } from "/phyre/static/goal.js";
import { TaskPainter } from "/phyre/static/painter.js";
import { KINDS } from "/phyre/static/shapes.js";

const $ = (name) => document.querySelector(`#${name}`);
const canvas = $("canvas");
const KEY = "phyre:edit";
const CHECK_DELAY = 250; // ms without a change
const GRID = 4;
const SNAP_REACH = 3;
const STEPS_PER_SECOND = 60;
const degrees = (angle) => Number((angle * 180 / Math.PI).toFixed(2));

let draft = null;
let board = null;
let history = null;
let chosen = -1; // index of the body
let palette = stored("palette", "standard") in PALETTES ? stored("palette", "standard") : "standard";
let snaps = stored("phyre:snap", true);
let clip = null; // the solution that is watched
let marks = []; // bodies of findings
let timer = 0;
let pinched = null;

const timeline = new Timeline(STEPS_PER_SECOND, (frame) => {
  $("scrub").value = frame;
  $("time").textContent = `${(frame / STEPS_PER_SECOND).toFixed(1)} s`;
  $("pause").textContent = timeline.playing ? "❚❚" : "▶";
  draw();
});
const search = new Search("/phyre/api/own/sweep", (answer) => verdict.add(answer), (message) => verdict.fail(message));
const verdict = new TaskVerdict($, {
  wanted: 2000,
  more: (first, goal) => startSearch(first, goal),
  mark(bodies) { marks = bodies; draw(); },
});

function say(text, kind = "") {
  $("status").textContent = text;
  $("status").className = `status ${kind}`;
}

// ---- drawing

function draw() {
  if (!draft) return;
  const view = draft.view();
  new TaskPainter(board, view).draw({ palette, letters: true, clip, frame: clip ? Math.floor(timeline.frame) : 0 });
  if (clip) return;
  drawMarks(board.context, marks.map((index) => view.bodies[index]).filter(Boolean), board.unit(1));
  if (view.bodies[chosen]) drawHandles(board.context, view.bodies[chosen], board.unit(1));
}

// ---- what can be changed, as controls

function options(select, rows, value) {
  const wanted = rows.map(([key, text]) => `${key}:${text}`).join("|");
  if (select.dataset.rows !== wanted) {
    select.replaceChildren(...rows.map(([key, text]) => new Option(text, key)));
    select.dataset.rows = wanted;
  }
  select.value = value ?? "";
}

function showFields() {
  const body = draft.bodies[chosen];
  $("chosen").disabled = !body;
  if (!body) {
    $("chosen-title").textContent = "No body is chosen";
    for (const name of ["name", "x", "y", "angle", "size-1", "size-2"]) $(name).value = "";
    $("dynamic").checked = false;
    return;
  }
  const { kind, sizes } = draft.kind(chosen);
  const names = kind ? Object.keys(KINDS[kind].sizes) : [];
  $("chosen-title").textContent = kind ? KINDS[kind].label : "A shape of its own";
  const [x, y, angle] = draft.pose(chosen);
  const values = { name: body.name ?? "", x: Number(x.toFixed(2)), y: Number(y.toFixed(2)), angle: degrees(angle) };
  for (const [name, value] of Object.entries(values)) if (document.activeElement !== $(name)) $(name).value = value;
  [1, 2].forEach((k) => {
    $(`size-${k}`).disabled = k > names.length;
    $(`size-${k}-name`).textContent = names[k - 1] ?? (k === 1 ? "Size" : "Height");
    if (document.activeElement !== $(`size-${k}`)) $(`size-${k}`).value = k <= names.length ? Number(sizes[k - 1].toFixed(2)) : "";
  });
  $("size-2-label").hidden = names.length < 2;
  $("dynamic").checked = Boolean(body.dynamic);
}

function update() {
  const { task } = draft;
  const bodies = draft.bodies.map((_, index) => [index, draft.name(index)]);
  const ordered = [...bodies.filter(([index]) => !draft.isWall(index)), ...bodies.filter(([index]) => draft.isWall(index))];
  for (const name of ["body", "other"]) options($(name), [["", "choose …"], ...ordered], task.goal[name]);
  const relation = draft.relation;
  const known = Object.keys(draft.editor.relations).map((name) => [name, name]);
  const several = typeof relation !== "string";
  options($("relation"), several ? [...known, ["several", relation.join(", ")]] : known, several ? "several" : relation);
  $("tier").value = task.tier;
  if (document.activeElement !== $("id")) $("id").value = task.id;
  $("undo").disabled = !history.canUndo;
  $("redo").disabled = !history.canRedo;
  $("play").disabled = !draft.isComplete;
  for (const button of $("tools").children) button.disabled = draft.bodies.length >= draft.editor.most_bodies;
  if (draft.isComplete) showGoal($("goal"), draft.view(), palette, true);
  else $("goal").textContent = "Choose the two bodies of the goal: A has to come to touch B.";
  showFields();
}

// After a change that is finished; `kind` joins quick changes of one kind to one step of undo.
function changed(kind = "") {
  draft.setRoles();
  if (history.add(draft.task, kind)) store(KEY, { task: draft.task });
  update();
  draw();
  recheck();
}

// While something is dragged.
function changing() {
  stopWatching();
  search.cancel();
  draw();
  showFields();
}

function choose(index) {
  stopWatching();
  chosen = index;
  update();
  draw();
  if (index >= 0) say(`Chosen: ${draft.name(index)}. Drag it or its handles.`);
}

function show(task, text) {
  draft = new Draft(task, draft.editor);
  chosen = -1;
  history.add(task);
  store(KEY, { task });
  stopWatching();
  update();
  draw();
  recheck();
  say(text);
}

function restore(task, word) {
  if (!task) return;
  draft = new Draft(task, draft.editor);
  chosen = Math.min(chosen, draft.bodies.length - 1);
  stopWatching();
  store(KEY, { task });
  update();
  draw();
  recheck();
  say(word);
}

// ---- is it valid, trivial, solvable?

function recheck() {
  search.cancel();
  clearTimeout(timer);
  marks = [];
  verdict.restart(draft.isComplete ? "" : "the goal has no two bodies yet");
  if (draft.isComplete) timer = setTimeout(check, CHECK_DELAY);
}

async function check() {
  const text = JSON.stringify(draft.task);
  let answer;
  try {
    answer = await postJson("/phyre/api/own/check", { own: JSON.parse(text) });
  } catch (error) {
    if (text === JSON.stringify(draft.task)) verdict.refuse(error.message);
    return;
  }
  if (text !== JSON.stringify(draft.task)) return;
  verdict.showCheck(answer, (index) => draft.name(index));
  startSearch(0);
}

function startSearch(first, goal) {
  verdict.begin(goal);
  search.start({ own: JSON.parse(JSON.stringify(draft.task)) }, first);
}

async function watch() {
  if (clip) {
    timeline.start(timeline.frames);
    return;
  }
  if (!verdict.solution) return;
  try {
    const answer = await postJson("/phyre/api/own/attempts", { own: draft.task, action: verdict.solution });
    clip = { ...answer, motion: new Motion(answer.motion) };
  } catch (error) {
    say(error.message, "problem");
    return;
  }
  $("scrub").max = clip.motion.frames - 1;
  $("pause").disabled = $("scrub").disabled = false;
  say(`A solution that was found: ${(clip.steps / STEPS_PER_SECOND).toFixed(1)} s.`);
  timeline.start(clip.motion.frames);
}

function stopWatching() {
  if (!clip) return;
  timeline.stop();
  clip = null;
  $("scrub").value = 0;
  $("pause").disabled = $("scrub").disabled = true;
  draw();
}

// ---- changes

function snapMove(index, x, y) {
  draft.move(index, x, y);
  if (!snaps) return;
  const items = draft.items();
  const own = items.find((item) => item.index === index);
  const others = items.filter((item) => item.index !== index).map(({ shapes, pose }) => boxOf(shapes, pose));
  const [dx, dy] = snapped(boxOf(own.shapes, own.pose), [...others, [0, 0, SIDE, SIDE]], SNAP_REACH, GRID);
  const [px, py] = draft.pose(index);
  draft.move(index, px + dx, py + dy);
}

function turnTo(index, angle) {
  const step = 5 * Math.PI / 180;
  draft.turn(index, snaps ? Math.round(angle / step) * step : angle);
}

function addBody(kind) {
  stopWatching();
  const index = draft.add(kind, [SIDE / 2, SIDE / 2]);
  const taken = draft.items().filter((item) => item.index !== index).map(({ shapes, pose }) => boxOf(shapes, pose));
  const free = ([l, b, r, t]) => taken.every(([ol, ob, or, ot]) => r <= ol || l >= or || t <= ob || b >= ot);
  let best = [SIDE / 2, SIDE / 2], least = Infinity; // a free place near the middle
  for (let x = 16; x < SIDE; x += 16) {
    for (let y = 16; y < SIDE; y += 16) {
      draft.move(index, x, y);
      const { shapes, pose } = draft.items().find((item) => item.index === index);
      const box = boxOf(shapes, pose);
      const far = Math.hypot(x - SIDE / 2, y - SIDE * 0.6);
      if (far < least && box[0] >= 0 && box[1] >= 0 && box[2] <= SIDE && box[3] <= SIDE && free(box)) [best, least] = [[x, y], far];
    }
  }
  draft.move(index, ...best);
  chosen = index;
  changed();
  say(`Added: ${draft.name(index)}. Drag it, or use the arrow keys.`);
}

const withBody = (action) => () => { if (draft.bodies[chosen]) { stopWatching(); action(); } };
const duplicate = withBody(() => { chosen = draft.duplicate(chosen); changed(); say(`Added: ${draft.name(chosen)}.`); });
const remove = withBody(() => {
  const name = draft.name(chosen);
  draft.remove(chosen);
  chosen = -1;
  changed();
  say(`${name} is deleted.`);
});
const toggleMoving = withBody(() => { draft.setMoving(chosen, !draft.bodies[chosen].dynamic); changed(); });
const setGoal = (name) => withBody(() => { draft.setGoal(name, chosen); changed(); })();

function nudge(dx, dy) {
  withBody(() => {
    const [x, y] = draft.pose(chosen);
    draft.move(chosen, x + dx, y + dy);
    changed("move");
  })();
}

function turnBy(by) {
  withBody(() => { draft.turn(chosen, draft.pose(chosen)[2] + by * Math.PI / 180); changed("turn"); })();
}

function sizeBy(steps) {
  withBody(() => {
    const { kind, sizes } = draft.kind(chosen);
    if (kind) draft.resize(chosen, sizes.map((size) => size + steps * (kind === "ball" ? 1 : 2)));
    else draft.stretch(chosen, 1.05 ** steps, 1.05 ** steps, draft.bodies[chosen].shapes);
    changed("size");
  })();
}

function nextBody(by) {
  const items = draft.items();
  if (!items.length) return;
  const at = items.findIndex((item) => item.index === chosen);
  choose(items[at < 0 ? (by > 0 ? 0 : items.length - 1) : (at + by + items.length) % items.length].index);
}

function saveFile() {
  if (!draft.isComplete) return say("Choose the two bodies of the goal first.", "problem");
  const name = `${draft.task.id.replace(/[^A-Za-z0-9_-]+/g, "-")}.json`;
  save(name, draft.fileText());
  return say(`Saved as ${name}. Try: tumble phyre show ${name}`);
}

function play() {
  if (draft.isComplete) location.href = "/phyre/own";
}

function openText(text, name) {
  try {
    show(Draft.ofFile(text, draft.editor).task, `Opened: ${name}.`);
  } catch (error) {
    say(`${name}: ${error.message}.`, "problem");
  }
}

const undo = () => restore(history.undo(), "Undone.");
const redo = () => restore(history.redo(), "Redone.");

function toggleSnap() {
  snaps = !snaps;
  store("phyre:snap", snaps);
  $("snap").setAttribute("aria-pressed", String(snaps));
}

// ---- events

const indexOf = (k) => k < 0 ? -1 : draft.items()[k].index;
const dragging = new Dragging({
  choose: (k) => choose(indexOf(k)),
  move: (k, x, y) => { snapMove(indexOf(k), x, y); changing(); },
  turn: (k, angle) => { turnTo(indexOf(k), angle); changing(); },
  size: (k, across, up, start) => { draft.stretch(indexOf(k), across, up, start.record); changing(); },
});
const itemsWithRecords = () => draft.items().map((item) => ({ ...item, record: structuredClone(draft.bodies[item.index].shapes) }));

listen(canvas, {
  press(event) {
    if (clip) return stopWatching();
    const items = itemsWithRecords();
    dragging.press(items, items.findIndex(({ index }) => index === chosen), board.place(event), board.unit(1));
    return undefined;
  },
  drag(event) { dragging.drag(board.place(event)); },
  release() {
    pinched = null;
    if (dragging.release()) changed();
  },
  pinch(ratio) {
    if (!draft.bodies[chosen]) return;
    pinched ??= structuredClone(draft.bodies[chosen].shapes);
    dragging.what = "pinch";
    draft.stretch(chosen, ratio, ratio, pinched);
    changing();
  },
  wheel: sizeBy,
});

const KEYS = {
  "n": () => nextBody(1), "p": () => nextBody(-1), "+": () => sizeBy(1), "=": () => sizeBy(1), "-": () => sizeBy(-1),
  "d": duplicate, "Delete": remove, "Backspace": remove, "a": () => setGoal("body"), "b": () => setGoal("other"),
  "m": toggleMoving, "g": toggleSnap, "w": watch, "Escape": () => clip ? stopWatching() : choose(-1),
  ",": () => turnBy(5), ".": () => turnBy(-5), "<": () => turnBy(1), ">": () => turnBy(-1), ";": () => turnBy(1), ":": () => turnBy(-1),
  ...Object.fromEntries(Object.keys(KINDS).map((kind, k) => [`${k + 1}`, () => addBody(kind)])),
};

listenToKeys({
  isReady: () => Boolean(draft),
  undo,
  redo,
  save: saveFile,
  nudge: (dx, dy, far) => nudge(dx * (far ? 10 : 1), dy * (far ? 10 : 1)),
  play,
  isWatched: () => Boolean(clip),
  pause: () => timeline.toggle(),
  keys: KEYS,
});

function listenToFields() {
  const number = (name, apply) => $(name).addEventListener("change", () => {
    const value = Number($(name).value);
    if ($(name).value !== "" && Number.isFinite(value) && draft.bodies[chosen]) apply(value);
    $(name).blur();
    changed();
  });
  number("x", (value) => draft.move(chosen, value, draft.pose(chosen)[1]));
  number("y", (value) => draft.move(chosen, draft.pose(chosen)[0], value));
  number("angle", (value) => draft.turn(chosen, value * Math.PI / 180));
  [0, 1].forEach((k) => number(`size-${k + 1}`, (value) => {
    const { sizes } = draft.kind(chosen);
    sizes[k] = value;
    draft.resize(chosen, sizes);
  }));
  $("name").addEventListener("change", () => {
    const name = $("name").value.trim();
    if (draft.bodies[chosen] && name && name !== draft.bodies[chosen].name) draft.bodies[chosen].name = draft.freshName(name);
    changed();
  });
  $("dynamic").addEventListener("change", toggleMoving);
  $("id").addEventListener("change", () => {
    draft.task.id = $("id").value.replace(/[^!-~]+/g, "") || "mine:000";
    $("id").value = draft.task.id;
    changed();
  });
  for (const name of ["body", "other"]) {
    $(name).addEventListener("change", () => {
      draft.setGoal(name, $(name).value === "" ? null : Number($(name).value));
      changed();
    });
  }
  $("relation").addEventListener("change", () => {
    if ($("relation").value !== "several") draft.setRelation($("relation").value);
    changed();
  });
  $("tier").addEventListener("change", () => { draft.task.tier = $("tier").value; changed(); });
}

const CLICKS = {
  undo, redo, save: saveFile, play, duplicate,
  delete: remove, "as-a": () => setGoal("body"), "as-b": () => setGoal("other"), watch, snap: toggleSnap,
  pause: () => timeline.toggle(),
  new: () => { show(Draft.first(draft.editor).task, "A new task. Ctrl+Z brings back the old one."); },
};
for (const [name, action] of Object.entries(CLICKS)) $(name).addEventListener("click", action);
$("scrub").addEventListener("input", () => { timeline.playing = false; timeline.seek(Number($("scrub").value)); });
for (const [name, { label }] of Object.entries(PALETTES)) $("palette").append(new Option(label, name));
$("palette").value = palette;
$("palette").addEventListener("change", () => { palette = $("palette").value; store("palette", palette); update(); draw(); });
$("snap").setAttribute("aria-pressed", String(snaps));
$("tools").append(...Object.entries(KINDS).map(([kind, { label }]) => {
  const button = Object.assign(document.createElement("button"), { textContent: label, id: `add-${kind}`, title: "Add one" });
  button.addEventListener("click", () => addBody(kind));
  return button;
}));
receiveFiles($("file"), 1_000_000, openText, (message) => say(message, "problem"));
new ResizeObserver(() => { if (board?.resize()) draw(); }).observe(canvas);

// ---- start: a copy of a task in the address, the work in progress, or a new task

async function firstTask(editor) {
  const from = new URLSearchParams(location.search).get("from");
  if (from) {
    const { task } = await getJson(`/phyre/api/tasks/${encodeURIComponent(from)}/file`);
    window.history.replaceState({}, "", "/phyre/edit");
    const copy = Draft.ofFile(JSON.stringify(task), editor).task;
    return { ...copy, id: `copy-of-${from}` };
  }
  return keptWork(editor) ?? Draft.first(editor).task;
}

// What was made in this browser before, or null.
function keptWork(editor) {
  const kept = stored(KEY, null)?.task;
  try {
    return kept ? Draft.ofFile(JSON.stringify(kept), editor).task : null;
  } catch {
    return null;
  }
}

try {
  const editor = await getJson("/phyre/api/editor");
  const before = keptWork(editor); // undo brings it back
  const task = await firstTask(editor);
  board = new Board(canvas, SIDE, SIDE);
  draft = new Draft(task, editor);
  draft.setRoles();
  history = new History(before ?? draft.task);
  listenToFields();
  show(draft.task, "Choose a body, or add one.");
} catch (error) {
  say(error.message, "problem");
}
