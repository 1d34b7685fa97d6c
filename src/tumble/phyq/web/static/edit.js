// The editor of levels: what is drawn is the record of a level file, checked and played by the server after each change.
import { getJson, postJson, store, stored } from "/static/api.js";
import { listenToKeys } from "/static/edit_keys.js";
import { save } from "/static/files.js";
import { Dragging, boxOf, snapped } from "/static/handles.js";
import { History } from "/static/history.js";
import { Search } from "/static/search.js";
import { Timeline } from "/static/timeline.js";
import { Camera } from "/phyq/static/camera.js";
import { Clip } from "/phyq/static/clip.js";
import { NAMES, coloursOf } from "/phyq/static/colours.js";
import { DraftView } from "/phyq/static/edit_view.js";
import { LevelVerdict } from "/phyq/static/edit_verdict.js";
import { LevelDraft } from "/phyq/static/level_draft.js";
import { acceptLevels, keepLevel, keptLevel } from "/phyq/static/own.js";
import { Painter } from "/phyq/static/painter.js";
import { listen } from "/phyq/static/pointers.js";
import { LevelView } from "/phyq/static/view.js";

const $ = (name) => document.querySelector(`#${name}`);
const canvas = $("canvas");
const camera = new Camera(canvas);
const KEY = "phyq:edit";
const CHECK_DELAY = 300; // ms without a change
const GRID = 0.1;
const SNAP_REACH = 0.12;
const STEP = 0.02;
const spaced = (text) => text.replaceAll("_", " ");

let draft = null;
let view = null;
let history = null;
let chosen = ""; // the id of a piece
let name = stored(KEY, null)?.name ?? "mine";
let palette = stored("palette", "standard") in NAMES ? stored("palette", "standard") : "standard";
let snaps = stored("phyq:snap", true);
let watched = null; // { clip, view } of a solution
let settled = null; // poses at rest
let marked = [];
let timer = 0;
let panned = null;

const timeline = new Timeline(1 / STEP, (frame) => {
  $("scrub").value = frame;
  $("time").textContent = `${(frame * STEP).toFixed(1)} s`;
  $("pause").textContent = timeline.playing ? "❚❚" : "▶";
  draw();
});
const search = new Search("/phyq/api/own/sweep", (answer) => verdict.add(answer), (message) => verdict.fail(message));
const verdict = new LevelVerdict($, {
  wanted: 400,
  more: (first, goal) => startSearch(first, goal),
  mark(indices) { marked = indices.map((k) => draft.ids()[k]); draw(); },
});

function say(text, kind = "") {
  $("status").textContent = text;
  $("status").className = `status ${kind}`;
}

// ---- drawing

function draw() {
  if (!draft) return;
  if (!watched) {
    view.draw(draft, palette, chosen, marked);
    return;
  }
  const frame = timeline.frame;
  const ghosts = watched.clip.flownAt(frame).map((points) => ({ points, mine: true }));
  watched.view.draw({ clip: watched.clip, frame, aim: null, next: -1, ghosts, showsLabel: false });
}

// ---- controls

function fill(select, rows, value) {
  const wanted = rows.map((row) => row.join(":")).join("|");
  if (select.dataset.rows !== wanted) {
    select.replaceChildren(...rows.map(([key, text]) => new Option(text, key)));
    select.dataset.rows = wanted;
  }
  if (value !== undefined) select.value = value;
}

// What a piece can be instead.
function kindsOf(id) {
  const [field] = id.split(":");
  return draft.editor.pieces[field].map(({ values }, k) => [k, spaced(field === "blocks" ? `${values.material} ${values.shape}` : values.size ?? "")]);
}

function showFields() {
  const piece = draft.piece(chosen);
  $("chosen").disabled = !piece;
  const isPlatform = chosen.startsWith("platforms");
  for (const label of ["width-label", "height-label"]) $(label).hidden = !isPlatform;
  $("kind-label").hidden = !piece || isPlatform || chosen.startsWith("tnts");
  $("chosen-title").textContent = piece ? draft.name(chosen) : "No piece is chosen";
  const box = piece ? boxOf([draft.outline(chosen)]) : null;
  const values = piece ? {
    x: Number(piece.x.toFixed(3)), y: Number(piece.y.toFixed(3)), angle: Number((piece.rotation ?? 0).toFixed(2)), width: Number((box[2] - box[0]).toFixed(3)), height: Number((box[3] - box[1]).toFixed(3)),
  } : { x: "", y: "", angle: "", width: "", height: "" };
  for (const [field, value] of Object.entries(values)) if (document.activeElement !== $(field)) $(field).value = value;
  if (piece && !$("kind-label").hidden) fill($("kind"), kindsOf(chosen), draft.editor.pieces[chosen.split(":")[0]].indexOf(draft.design(chosen)));
}

function showBirds() {
  const colours = coloursOf(draft.editor.colours, palette);
  $("birds").replaceChildren(...draft.level.birds.map((colour, k) => {
    const button = Object.assign(document.createElement("button"), { className: "bird", textContent: colour[0].toUpperCase(), title: "Remove" });
    button.style.background = colours[colour];
    button.style.color = ["blue", "black", "red"].includes(colour) ? "#fff" : "#000";
    button.setAttribute("aria-label", `Bird ${k + 1}: ${colour}. Remove it`);
    button.addEventListener("click", () => { draft.level.birds.splice(k, 1); changed(); });
    return button;
  }));
  $("add-bird").disabled = draft.level.birds.length >= draft.editor.most_birds;
}

function update() {
  $("undo").disabled = !history.canUndo;
  $("redo").disabled = !history.canRedo;
  $("play").disabled = $("save").disabled = Boolean(draft.missing);
  for (const button of document.querySelectorAll(".tools button")) button.disabled = draft.count >= draft.editor.most_pieces;
  if (document.activeElement !== $("name")) $("name").value = name;
  showBirds();
  showFields();
}

const keep = () => store(KEY, { name, level: draft.level });

function refresh() {
  keep();
  update();
  draw();
  recheck();
}

// After a change that is finished; `kind` joins quick changes of one kind to one step of undo.
function changed(kind = "") {
  history.add(draft.level, kind);
  refresh();
}

// While something is dragged.
function changing() {
  stopWatching();
  search.cancel();
  draw();
  showFields();
}

function choose(id) {
  stopWatching();
  chosen = id;
  update();
  draw();
  if (id) say(`Chosen: ${draft.name(id)}. Drag it or its handles.`);
}

function show(level, text) {
  draft = new LevelDraft(level, draft.editor);
  chosen = "";
  history.add(level);
  stopWatching();
  view.setSling(draft.editor);
  camera.fit(draft.view);
  refresh();
  say(text);
}

function restore(level, word) {
  if (!level) return;
  draft = new LevelDraft(level, draft.editor);
  if (!draft.piece(chosen)) chosen = "";
  stopWatching();
  refresh();
  say(word);
}

// ---- is it valid, at rest, trivial, solvable?

function recheck() {
  search.cancel();
  clearTimeout(timer);
  marked = [];
  settled = null;
  $("settle").disabled = true;
  verdict.restart(draft.missing);
  if (!draft.missing) timer = setTimeout(check, CHECK_DELAY);
}

async function check() {
  const text = draft.fileText();
  let answer;
  try {
    answer = await postJson("/phyq/api/own/check", { level: text });
  } catch (error) {
    if (text === draft.fileText()) verdict.refuse(error.message);
    return;
  }
  if (text !== draft.fileText()) return;
  settled = answer.settled;
  $("settle").disabled = answer.rests;
  view.setSling(answer);
  verdict.show("level", answer.findings, answer.rests ? [verdict.row("good", "everything rests")] : []);
  startSearch(0);
}

function startSearch(first, goal) {
  verdict.begin(goal);
  search.start({ level: draft.fileText() }, first);
}

async function watch() {
  if (watched) {
    timeline.start(timeline.frames);
    return;
  }
  if (!verdict.solution) return;
  const text = draft.fileText();
  try {
    const level = await postJson("/phyq/api/levels", { text });
    const answer = await postJson("/phyq/api/attempts", { level: level.text, shots: verdict.solution, from_shot: 0 });
    watched = { clip: new Clip(answer, false, level.first_bird), view: new LevelView(new Painter(camera, level), level) };
  } catch (error) {
    say(error.message, "problem");
    return;
  }
  watched.view.painter.colours = coloursOf(draft.editor.colours, palette);
  $("scrub").max = watched.clip.frames - 1;
  $("pause").disabled = $("scrub").disabled = false;
  const shots = verdict.solution.map(({ angle }) => `${angle}°`).join(", ");
  say(`Shots that win: ${shots}.`);
  timeline.start(watched.clip.frames);
}

function stopWatching() {
  if (!watched) return;
  timeline.stop();
  watched = null;
  $("scrub").value = 0;
  $("pause").disabled = $("scrub").disabled = true;
  draw();
}

// ---- changes

const boxes = (except) => draft.items().filter(({ id }) => id !== except).map(({ shapes, pose }) => boxOf(shapes, pose));

function snapMove(id, x, y) {
  draft.move(id, x, y);
  if (!snaps) return;
  const { half_width: half, ground } = draft.editor.rules;
  const [dx, dy] = snapped(boxOf([draft.outline(id)], draft.pose(id)), [...boxes(id), [-half, ground, half, ground]], SNAP_REACH, GRID);
  const { x: px, y: py } = draft.piece(id);
  draft.move(id, px + dx, py + dy);
}

// Lets a piece down on what is below it, by bounding boxes.
function dropDown(id) {
  const [left, bottom, right] = boxOf([draft.outline(id)], draft.pose(id));
  const below = boxes(id).filter(([l, , r, t]) => l < right - 1e-3 && r > left + 1e-3 && t <= bottom + 1e-3).map(([, , , t]) => t);
  const floor = Math.max(draft.editor.rules.ground, ...below);
  draft.move(id, draft.piece(id).x, draft.piece(id).y + floor - bottom);
}

function addPiece(field) {
  stopWatching();
  const values = { blocks: { shape: $("shape").value, material: $("material").value }, pigs: { size: $("size").value } }[field] ?? {};
  const id = draft.add(field, values, camera.toWorld([camera.width / 2, camera.height * 0.35]));
  const [left, , right] = boxOf([draft.outline(id)]);
  const { half_width: half } = draft.editor.rules;
  const start = Math.max(-2, Math.min(half - 2, draft.piece(id).x)); // the nearest free place on the ground
  const free = (x) => boxes(id).every(([l, , r]) => x + right < l || x + left > r);
  const steps = Array.from({ length: 120 }, (_, k) => start + (k % 2 ? 1 : -1) * Math.ceil(k / 2) * 0.25).filter((x) => Math.abs(x) < half - 1);
  draft.move(id, steps.find(free) ?? start, draft.editor.highest / 2);
  dropDown(id);
  if (field === "platforms") draft.move(id, draft.piece(id).x, draft.piece(id).y + 2);
  chosen = id;
  changed();
  say(`Added: ${draft.name(id)}. Drag it, or use the arrow keys.`);
}

const withPiece = (action) => () => { if (draft.piece(chosen)) { stopWatching(); action(); } };
const duplicate = withPiece(() => { chosen = draft.duplicate(chosen); changed(); say(`Added: ${draft.name(chosen)}.`); });
const remove = withPiece(() => {
  const text = draft.name(chosen);
  draft.remove(chosen);
  chosen = "";
  changed();
  say(`Deleted: ${text}.`);
});
const drop = withPiece(() => { dropDown(chosen); changed(); });
const turnBy = (by) => withPiece(() => { draft.turn(chosen, (draft.piece(chosen).rotation ?? 0) + by); changed("turn"); })();
const nudge = (dx, dy) => withPiece(() => {
  const { x, y } = draft.piece(chosen);
  draft.move(chosen, x + dx, y + dy);
  changed("move");
})();

// The next material of a block, or the next size of a pig.
const nextKind = withPiece(() => {
  const designs = draft.editor.pieces[chosen.split(":")[0]].filter(({ values }) => !values.shape || values.shape === draft.piece(chosen).shape);
  draft.change(chosen, designs[(designs.indexOf(draft.design(chosen)) + 1) % designs.length].values);
  changed();
});

function nextPiece(by) {
  const ids = draft.ids();
  if (!ids.length) return;
  const at = ids.indexOf(chosen);
  choose(ids[at < 0 ? (by > 0 ? 0 : ids.length - 1) : (at + by + ids.length) % ids.length]);
}

function saveFile() {
  if (draft.missing) return say(`${draft.missing}.`, "problem");
  const file = `${name.replace(/[^A-Za-z0-9_-]+/g, "-") || "mine"}.json`;
  save(file, draft.fileText());
  return say(`Saved as ${file}. Try: tumble phyq show ${file}`);
}

function play() {
  if (draft.missing) return;
  keepLevel({ name: `${name}.json`, text: draft.fileText() });
  location.href = "/phyq/own";
}

// A level file that the server has read: XML has become JSON.
function openLevel({ text, name: file }) {
  name = file.replace(/\.[a-z]+$/i, "").slice(0, 40);
  show(LevelDraft.ofText(text, draft.editor).level, `Opened: ${file}.`);
}

const undo = () => restore(history.undo(), "Undone.");
const redo = () => restore(history.redo(), "Redone.");

function toggleSnap() {
  snaps = !snaps;
  store("phyq:snap", snaps);
  $("snap").setAttribute("aria-pressed", String(snaps));
}

// ---- events

const idOf = (k) => draft.items()[k]?.id ?? "";
const dragging = new Dragging({
  choose: (k) => choose(idOf(k)),
  move: (k, x, y) => { snapMove(idOf(k), x, y); changing(); },
  turn(k, angle) {
    const degrees = angle * 180 / Math.PI;
    draft.turn(idOf(k), snaps ? Math.round(degrees / 5) * 5 : degrees);
    changing();
  },
  size(k, across, up, start) { draft.scale(idOf(k), start.scales[0] * across, start.scales[1] * up); changing(); },
});

listen(canvas, {
  press(place) {
    if (watched) stopWatching();
    const items = draft.items().map((item) => ({ ...item, scales: [draft.piece(item.id).scale_x ?? 1, draft.piece(item.id).scale_y ?? 1] }));
    const held = dragging.press(items, items.findIndex(({ id }) => id === chosen), camera.toWorld(place), 1 / camera.scale);
    panned = held ? null : place;
  },
  drag(place) {
    if (!panned) return dragging.drag(camera.toWorld(place));
    camera.panBy(place[0] - panned[0], place[1] - panned[1]);
    panned = place;
    return draw();
  },
  release() { if (dragging.release()) changed(); },
  cancel() { if (dragging.release()) changed(); },
  zoom(factor, place) { camera.zoomBy(factor, place); draw(); },
  pan(dx, dy) { camera.panBy(dx, dy); draw(); },
});

const middle = () => [camera.width / 2, camera.height / 2];
const zoom = (factor) => { camera.zoomBy(factor, middle()); draw(); };
const fit = () => { camera.fit(draft.view); draw(); };
const KEYS = {
  "1": () => addPiece("blocks"), "2": () => addPiece("pigs"), "3": () => addPiece("tnts"), "4": () => addPiece("platforms"),
  "n": () => nextPiece(1), "p": () => nextPiece(-1), "d": duplicate, "Delete": remove, "Backspace": remove, "f": drop, "m": nextKind,
  "r": () => turnBy(90), ",": () => turnBy(5), ".": () => turnBy(-5), "<": () => turnBy(1), ">": () => turnBy(-1), ";": () => turnBy(1), ":": () => turnBy(-1),
  "g": toggleSnap, "w": watch, "Escape": () => watched ? stopWatching() : choose(""), "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), "0": fit,
};

listenToKeys({
  isReady: () => Boolean(draft),
  undo,
  redo,
  save: saveFile,
  nudge: (dx, dy, far) => nudge(dx * (far ? 0.5 : 0.05), dy * (far ? 0.5 : 0.05)),
  play,
  isWatched: () => Boolean(watched),
  pause: () => timeline.toggle(),
  keys: KEYS,
});

function listenToFields() {
  const number = (field, apply) => $(field).addEventListener("change", () => {
    const value = Number($(field).value);
    if ($(field).value !== "" && Number.isFinite(value) && draft.piece(chosen)) apply(value, draft.piece(chosen));
    $(field).blur();
    changed();
  });
  number("x", (value, piece) => draft.move(chosen, value, piece.y));
  number("y", (value, piece) => draft.move(chosen, piece.x, value));
  number("angle", (value) => draft.turn(chosen, value));
  const side = () => { const [left, , right] = boxOf([draft.design(chosen).outline]); return right - left; };
  number("width", (value, piece) => draft.scale(chosen, value / side(), piece.scale_y ?? 1));
  number("height", (value, piece) => draft.scale(chosen, piece.scale_x ?? 1, value / side()));
  $("kind").addEventListener("change", () => {
    draft.change(chosen, draft.editor.pieces[chosen.split(":")[0]][Number($("kind").value)].values);
    changed();
  });
  $("name").addEventListener("change", () => { name = $("name").value.trim() || "mine"; keep(); });
}

const CLICKS = {
  undo, redo, save: saveFile, play, duplicate,
  delete: remove, drop, watch, snap: toggleSnap, closer: () => zoom(1.25), wider: () => zoom(0.8), fit,
  pause: () => timeline.toggle(),
  "add-bird": () => { draft.level.birds.push($("colour").value); changed(); },
  settle() { if (settled) { draft.settle(settled); changed(); say("All pieces are where they come to rest."); } },
  new() { name = "mine"; show(LevelDraft.first(draft.editor).level, "A new level. Ctrl+Z brings back the old one."); },
  ...Object.fromEntries(["blocks", "pigs", "tnts", "platforms"].map((field) => [`add-${field}`, () => addPiece(field)])),
};
for (const [id, action] of Object.entries(CLICKS)) $(id).addEventListener("click", action);
$("scrub").addEventListener("input", () => { timeline.playing = false; timeline.seek(Number($("scrub").value)); });
for (const [key, label] of Object.entries(NAMES)) $("palette").append(new Option(label, key));
$("palette").value = palette;
$("palette").addEventListener("change", () => { palette = $("palette").value; store("palette", palette); stopWatching(); update(); draw(); });
$("snap").setAttribute("aria-pressed", String(snaps));
acceptLevels($("file"), { opened: openLevel, failed: (message) => say(message, "problem") });
new ResizeObserver(() => { if (camera.resize()) draw(); }).observe(canvas);

// ---- start: a copy of a level in the address, the work in progress, or a new level

async function firstLevel(editor) {
  const from = new URLSearchParams(location.search).get("from");
  if (from) {
    const { text, name: file } = from === "own" ? await keptLevel() : await getJson(`/phyq/api/tasks/${encodeURIComponent(from)}/file`);
    window.history.replaceState({}, "", "/phyq/edit");
    name = from === "own" ? file.replace(/\.[a-z]+$/i, "") : `copy-of-${from}`.replace(":", "-");
    return LevelDraft.ofText(text, editor).level;
  }
  return keptWork(editor) ?? LevelDraft.first(editor).level;
}

// What was made in this browser before, or null.
function keptWork(editor) {
  const kept = stored(KEY, null)?.level;
  try {
    return kept ? LevelDraft.ofText(JSON.stringify(kept), editor).level : null;
  } catch {
    return null;
  }
}

try {
  const editor = await getJson("/phyq/api/editor");
  const unique = (field) => [...new Set(editor.pieces.blocks.map(({ values }) => values[field]))].map((value) => [value, spaced(value)]);
  fill($("shape"), unique("shape"), "rect_medium");
  fill($("material"), unique("material"), "wood");
  fill($("size"), editor.pieces.pigs.map(({ values }) => [values.size, `${values.size} pig`]), "small");
  fill($("colour"), editor.birds.map(({ colour }) => [colour, colour]), "red");
  const before = keptWork(editor); // undo brings it back
  const level = await firstLevel(editor);
  view = new DraftView(camera, editor);
  draft = new LevelDraft(level, editor);
  history = new History(before ?? level);
  listenToFields();
  show(level, "Choose a piece, or add one.");
} catch (error) {
  say(error.message, "problem");
}
