// The page of a level: draw the sling, shoot, use powers, watch, try again.
import { getJson, postJson, store, stored } from "/static/api.js";
import { Timeline } from "/static/timeline.js";
import { Camera } from "/phyq/static/camera.js";
import { Clip } from "/phyq/static/clip.js";
import { NAMES, coloursOf } from "/phyq/static/colours.js";
import { shotOfPull } from "/phyq/static/flight.js";
import { acceptLevels, keepLevel, keptLevel } from "/phyq/static/own.js";
import { Painter } from "/phyq/static/painter.js";
import { listen } from "/phyq/static/pointers.js";
import { LevelView } from "/phyq/static/view.js";

const $ = (name) => document.querySelector(`#${name}`);
const canvas = $("canvas");
const camera = new Camera(canvas);
const OWN = "own";
const TIMELINE_RATE = 60; // frames a second that a Timeline plays at speed 1
const KEPT_TRIES = 5;
const LEAST_PULL = 0.1; // a shorter one by mouse or finger is no shot
const GRIP = 30; // pixels around the bird in which it is taken
const CLICK = 6; // pixels that a click may move
const EMPTY = { count: 0, solved: false, tries: [] };
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
const many = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

let level = null;
let view = null;
let waiting = false; // for the server
let shots = []; // of this attempt, as the server gets them
let clip = null; // the motion that is shown
let seen = 0; // its furthest frame that was shown: shots and taps are made there
let trails = []; // flights of this attempt
let aim = { angle: 40, stretch: 1 };
let aimed = false; // the sling is drawn
let pulling = false; // with a pointer
let pressed = null; // where a pointer was pressed, and where it was last
let record = { ...EMPTY };
let watched = false; // a solution
let palette = stored("palette", "standard") in NAMES ? stored("palette", "standard") : "standard";
let ghosts = stored("ghosts", true);
let shootsOnRelease = stored("phyq:on-release", true);

const timeline = new Timeline((frame) => {
  seen = Math.max(seen, frame);
  $("scrub").value = frame;
  showTime(frame);
  draw();
  update();
  if (!clip) return;
  if (seen >= clip.frames - 1) finish();
  else if (canAim()) inviteEarly();
});

// ---- what can be done

const isOwn = () => level.id === OWN;
const attemptsLeft = () => isOwn() ? Infinity : Math.max(0, level.attempts - record.count);
const isSeen = () => clip !== null && seen >= clip.frames - 1;
const isOver = () => clip !== null && isSeen() && (!clip.mine || clip.answer.status !== "open");
const isWon = () => isOver() && clip.mine && clip.answer.status === "won";

function canAim() {
  if (!level || waiting) return false;
  if (!clip) return attemptsLeft() > 0;
  return clip.mine && clip.answer.status === "open" && seen >= Math.min(clip.answer.next_ready, clip.frames - 1);
}

function canTap() {
  if (!clip?.mine || waiting || clip.answer.tapped.at(-1) !== null) return false;
  return level.birds[clip.shot].power !== "" && seen >= 1 && seen < clip.landed(clip.shot);
}

// The bird that would be shot next, while it is on the sling; else -1.
const nextBird = () => canAim() || (waiting && aimed) ? shots.length : -1;

// ---- drawing

function draw() {
  if (!view) return;
  const frame = clip ? timeline.frame : 0;
  const past = ghosts ? record.tries.flatMap((one) => one.trails.map((points) => ({ points, mine: false }))) : [];
  const own = trails.map((points) => ({ points, mine: true }));
  if (clip && frame > 0) own.push(...flown(frame));
  view.draw({ clip, frame, aim: aimed ? aim : null, next: nextBird(), ghosts: [...past, ...own], showsLabel: pulling });
}

// The flights of the clip so far.
function flown(frame) {
  return clip.trails.map((points, k) => {
    const since = Math.floor((frame - Math.max(0, clip.answer.released[k + clip.answer.from_shot])) / 4);
    return { points: points.slice(0, Math.max(0, since)), mine: true };
  });
}

function showTime(frame) {
  $("time").textContent = `${(frame * (level?.rules.step ?? 0)).toFixed(1)} s`;
}

function say(text, kind = "") {
  if ($("status").textContent !== text) $("status").textContent = text;
  $("status").className = `status ${kind}`;
}

// What can be done now, in the controls.
function update() {
  if (!level) return;
  const aims = canAim();
  const over = isOver();
  $("shoot").disabled = waiting || (!aims && !over);
  $("shoot").textContent = isWon() && !isOwn() ? "Next level" : over ? "Try again" : "Shoot";
  $("tap").disabled = !canTap();
  $("again").disabled = waiting || !clip;
  $("angle").disabled = $("stretch").disabled = !aims;
  $("pause").disabled = $("scrub").disabled = !clip || waiting;
  $("pause").textContent = timeline.playing ? "❚❚" : "▶";
  canvas.classList.toggle("aims", aims);
  showCounts();
}

function showCounts() {
  const frame = clip ? Math.floor(timeline.frame) : 0;
  const pigs = clip ? clip.alive(level.pigs, frame) : level.pigs;
  $("pigs").textContent = pigs;
  $("pigs-word").textContent = pigs === 1 ? "pig left" : "pigs left";
  const used = clip ? (clip.mine ? shots.length : clip.shotAt(frame) + 1) : 0;
  [...$("birds").children].forEach((one, k) => { one.className = k < used ? "bird used" : "bird"; });
  $("birds").setAttribute("aria-label", `${level.birds.length - used} of ${many(level.birds.length, "bird")} left`);
  $("left").textContent = isOwn() ? "any number of" : attemptsLeft();
  $("restart").hidden = !record.count || isOwn();
  const knows = record.solved || watched || (attemptsLeft() === 0 && (!clip || isOver()));
  $("rule").hidden = !knows || !level.rule;
  $("solution").disabled = waiting || !level.solution || !record.tries.length;
  $("solution").title = record.tries.length || !level.solution ? "" : "After your first attempt";
}

function showBirds() {
  $("birds").replaceChildren(...level.birds.map(({ colour }) => {
    const one = document.createElement("i");
    one.className = "bird";
    one.title = `${colour} bird`;
    one.style.background = coloursOf(level.colours, palette)[colour];
    one.textContent = colour[0].toUpperCase();
    one.style.color = ["yellow", "white"].includes(colour) ? "#000" : "#fff";
    return one;
  }));
}

function invite() {
  const bird = level.birds[shots.length];
  if (!attemptsLeft() && !shots.length) return say("No attempts left. Start over, or go to the next level.", "problem");
  const which = level.birds.length > 1 ? `${shots.length ? "Next" : "First"}: the ${bird.colour} bird` : `A ${bird.colour} bird`;
  const power = bird.power ? ` Tap while it flies and ${bird.power}.` : "";
  return say(`${which}. Draw the sling and let go.${power}`);
}

// The next bird may be shot before everything rests.
function inviteEarly() {
  if (clip.invited) return;
  clip.invited = true;
  say(`The ${level.birds[shots.length].colour} bird is ready: shoot now, or when everything rests.`);
}

// ---- shots

function setAim(angle, stretch) {
  if (!canAim()) return;
  catchUp();
  const turn = ((angle + 180) % 360 + 360) % 360 - 180;
  aim = { angle: Number(turn.toFixed(2)), stretch: Number(clamp(stretch, 0.05, level.rules.stretch_limit).toFixed(3)) };
  aimed = true;
  showAim();
  draw();
}

function showAim() {
  $("angle").value = aim.angle;
  $("stretch").value = aim.stretch;
}

// What has been seen has happened: the next shot starts from there.
function catchUp() {
  if (clip && Math.floor(timeline.frame) < seen) timeline.seek(seen);
}

async function ask(sequence, first) {
  const what = isOwn() ? { level: level.text } : { task: level.id };
  waiting = true;
  update();
  try {
    return await postJson("/phyq/api/attempts", { ...what, shots: sequence, from_shot: first });
  } catch (error) {
    say(error.message, "problem");
    return null;
  } finally {
    waiting = false;
    update();
  }
}

function show(answer, mine, frame = 0) {
  clip = new Clip(answer, mine);
  clip.trails = answer.released.slice(answer.from_shot).map((_, k) => clip.trail(level.first_bird + answer.from_shot + k, answer.from_shot + k));
  clip.told = false;
  $("scrub").max = clip.frames - 1;
  timeline.frames = clip.frames;
  seen = frame;
  timeline.seek(frame);
  timeline.play();
}

async function shoot() {
  if (isWon() && !isOwn()) return go(level.next);
  if (isOver()) return again();
  if (!canAim()) return undefined;
  catchUp();
  performance.mark("shot");
  const shot = { ...aim };
  if (clip && seen < clip.frames - 1) shot.delay = Number((seen * level.rules.step).toFixed(2));
  const wasPlaying = timeline.playing;
  timeline.playing = false;
  pulling = false;
  aimed = true;
  const answer = await ask([...shots, shot], shots.length);
  if (!answer) {
    if (wasPlaying) timeline.play();
    return draw();
  }
  if (clip) trails.push(...clip.trails);
  aimed = false;
  shots.push(shot);
  if (shots.length === 1) count();
  const { colour, power } = level.birds[shots.length - 1];
  say(power ? `The ${colour} bird flies: tap and ${power}.` : `The ${colour} bird flies.`);
  show(answer, true);
  requestAnimationFrame(() => performance.measure("shot to first frame", "shot"));
  return undefined;
}

// Uses the power of the bird in flight at the frame that is seen: the shot with this tap is simulated from its start.
async function tap() {
  if (!canTap()) return;
  catchUp();
  const at = seen;
  const playing = timeline.playing;
  timeline.playing = false;
  const tapped = { ...shots.at(-1), tap_ms: Math.round(1000 * level.rules.step * at) };
  const answer = await ask([...shots.slice(0, -1), tapped], shots.length - 1);
  if (answer && answer.tapped.at(-1) !== null) {
    shots[shots.length - 1] = tapped;
    say(`Power used after ${(at * level.rules.step).toFixed(2)} s.`);
    show(answer, true, at);
    if (!playing) timeline.pause();
    return;
  }
  if (answer) say("Too early: a power works when the bird has left the sling behind.");
  if (playing) timeline.play();
}

function count() {
  if (isOwn()) return;
  record.count += 1;
  store(`phyq:${level.id}`, record);
}

function keepTry() {
  const all = [...trails, ...clip.trails];
  record.tries = [...record.tries, { shots, trails: all, status: clip.answer.status }].slice(-KEPT_TRIES);
  record.solved ||= clip.answer.status === "won";
  if (!isOwn()) store(`phyq:${level.id}`, record);
}

// The outcome is told when it has been seen.
function finish() {
  if (clip.told) return;
  clip.told = true;
  const { status, pigs_left: pigs, shots_used: used, seconds } = clip.answer;
  if (!clip.mine) {
    say(`That was a stored solution: ${many(used, "shot")}, ${seconds.toFixed(1)} s.`);
  } else if (status === "open") {
    invite();
  } else {
    keepTry();
    if (status === "won") say(`Solved with ${many(used, "bird")} in ${seconds.toFixed(1)} s!`, "solved");
    else say(`Not solved: ${many(pigs, "pig")} left${attemptsLeft() ? ". Try again." : ", and no attempts."}`, "problem");
  }
  update();
}

// The level from its start; an attempt that was not over is given up.
function again() {
  if (!level || waiting) return;
  if (clip?.mine && !clip.told) keepTry();
  else if (clip?.mine && clip.answer.status === "open") keepTry();
  timeline.stop();
  clip = null;
  shots = [];
  trails = [];
  seen = 0;
  aimed = pulling = false;
  $("scrub").value = 0;
  showTime(0);
  invite();
  update();
  draw();
  canvas.focus({ preventScroll: true });
}

async function watchSolution() {
  again();
  try {
    const { shots: stored } = await getJson(`/phyq/api/tasks/${level.id}/solution`);
    const answer = await ask(stored, 0);
    if (!answer) return;
    watched = true;
    say("A stored solution …");
    show(answer, false);
  } catch (error) {
    say(error.message, "problem");
  }
}

// ---- levels

function open(data) {
  timeline.stop();
  level = data;
  clip = null;
  shots = [];
  trails = [];
  seen = 0;
  aimed = pulling = waiting = watched = false;
  aim = { angle: 40, stretch: 1 };
  record = { ...EMPTY, ...(isOwn() ? {} : stored(`phyq:${level.id}`, {})) };
  camera.fit(level.view);
  const painter = new Painter(camera, level);
  view = new LevelView(painter, level);
  const title = isOwn() ? level.name : `${level.id} · ${level.scenario}. ${level.title}`;
  document.title = `${title} · Phy-Q · Tumble`;
  $("title").textContent = title;
  const percent = (share) => `${Math.round(100 * share)} %`;
  $("rule").textContent = level.rule
    ? `${level.title}: ${level.rule} In the paper, people pass ${percent(level.rates.people)} of this scenario's levels, random shots ${percent(level.rates.random)}.` : "";
  $("next").href = `/phyq/${level.next ?? ""}`;
  $("previous").href = `/phyq/${level.previous ?? ""}`;
  $("scrub").value = 0;
  showTime(0);
  showAim();
  showBirds();
  setPalette(palette);
  invite();
  update();
}

async function load(id) {
  try {
    if (id !== OWN) return open(await getJson(`/phyq/api/tasks/${id}`));
    const own = await keptLevel();
    if (own) return open({ ...own, id: OWN });
    return say("Drop a level file here: Science Birds' XML, or Tumble's JSON.");
  } catch (error) {
    return say(error.message, "problem");
  }
}

async function go(id) {
  if (!id) return;
  history.pushState({}, "", `/phyq/${id}`);
  await load(id);
  canvas.focus({ preventScroll: true });
}

async function goRandom() {
  const { scenarios, tasks } = await getJson("/phyq/api/gallery");
  const all = scenarios.flatMap(({ templates }) => templates);
  const number = Math.floor(Math.random() * tasks);
  await go(`${all[Math.floor(Math.random() * all.length)].id}:${String(number).padStart(3, "0")}`);
}

// ---- options and playback

function setPalette(name) {
  palette = name;
  store("palette", name);
  $("palette").value = name;
  if (!view) return;
  view.painter.colours = coloursOf(level.colours, palette);
  showBirds();
  showCounts();
  draw();
}

function showOptions() {
  $("ghosts").setAttribute("aria-pressed", String(ghosts));
  $("on-release").setAttribute("aria-pressed", String(shootsOnRelease));
}

function toggleGhosts() {
  ghosts = !ghosts;
  store("ghosts", ghosts);
  showOptions();
  draw();
}

function setSpeed() {
  timeline.speed = Number($("speed").value) / (level?.rules.step ?? 0.02) / TIMELINE_RATE;
}

function nextSpeed() {
  $("speed").selectedIndex = ($("speed").selectedIndex + 1) % $("speed").options.length;
  setSpeed();
}

function playOrPause() {
  if (!clip || waiting) return;
  if (timeline.playing) timeline.pause();
  else timeline.play();
}

function step(change) {
  if (!clip || waiting) return;
  timeline.playing = false;
  timeline.seek(Math.floor(timeline.frame) + change);
}

// ---- pointers

function pull(place) {
  const [x, y] = camera.toWorld(place);
  const [rx, ry] = level.rest;
  const shot = shotOfPull(x - rx, y - ry, level.rules);
  aimed = shot.stretch >= LEAST_PULL;
  if (aimed) aim = shot;
  showAim();
  draw();
}

listen(canvas, {
  press(place) {
    if (!level) return;
    const [x, y] = camera.toScreen(aimed ? view.pulled(aim) : level.rest);
    pulling = canAim() && Math.hypot(place[0] - x, place[1] - y) <= Math.max(GRIP, 0.6 * camera.scale);
    if (pulling) catchUp();
    pressed = { from: place, last: place, moved: false };
  },
  drag(place) {
    if (!pressed) return;
    pressed.moved ||= Math.hypot(place[0] - pressed.from[0], place[1] - pressed.from[1]) > CLICK;
    if (pulling) pull(place);
    else if (pressed.moved) {
      camera.panBy(place[0] - pressed.last[0], place[1] - pressed.last[1]);
      draw();
    }
    pressed.last = place;
  },
  release() {
    if (!pressed) return;
    const { moved } = pressed;
    const wasPulling = pulling;
    pressed = null;
    pulling = false;
    if (wasPulling && moved && aimed && shootsOnRelease) shoot();
    else if (!wasPulling && !moved) tap();
    draw();
  },
  cancel() {
    if (pulling) aimed = false;
    pressed = null;
    pulling = false;
    draw();
  },
  zoom(factor, place) { camera.zoomBy(factor, place); draw(); },
  pan(dx, dy) { camera.panBy(dx, dy); draw(); },
});

// ---- keys and controls

const zoom = (factor) => { camera.zoomBy(factor); draw(); };
const fit = () => { camera.fit(); draw(); };
const KEYS = {
  "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), "_": () => zoom(0.8), "0": fit,
  "r": again, "escape": () => { if (aimed && !waiting) { aimed = pulling = false; pressed = null; draw(); } else again(); },
  "n": () => go(level.next), "p": () => go(level.previous), "x": goRandom, "t": tap,
  "s": nextSpeed, ",": () => step(-1), ".": () => step(1), "g": toggleGhosts,
  "c": () => setPalette(palette === "standard" ? "distinct" : "standard"),
  " ": () => canTap() ? tap() : playOrPause(), "enter": shoot,
};
const ARROWS = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, 0.05], ArrowRight: [0, -0.05] };

document.addEventListener("keydown", (event) => {
  if (!level || event.ctrlKey || event.metaKey || event.altKey) return;
  const { target, key } = event;
  if (event.repeat && (key === "Enter" || key === " ")) return event.preventDefault();
  const inNumber = target.id === "angle" || target.id === "stretch";
  if (inNumber && key === "Enter") return void shoot();
  if (["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName)) return undefined;
  const presses = ["BUTTON", "A", "SUMMARY"].includes(target.tagName);
  if (presses && (key === "Enter" || key === " ")) return undefined;
  if (key in ARROWS) {
    const [turn, stretch] = ARROWS[key];
    const share = event.shiftKey ? (turn ? 0.1 : 0.2) : 1;
    setAim(aim.angle + turn * share, aim.stretch + stretch * share);
  } else if (key.toLowerCase() in KEYS) {
    KEYS[key.toLowerCase()]();
  } else {
    return undefined;
  }
  return event.preventDefault();
});

for (const name of ["angle", "stretch"]) {
  $(name).addEventListener("input", () => {
    const [angle, stretch] = [Number($("angle").value), Number($("stretch").value)];
    if ($(name).value === "" || !$(name).validity.valid && !$(name).validity.stepMismatch) return;
    if (!canAim()) return;
    catchUp();
    aim = { angle, stretch: clamp(stretch, 0.05, level.rules.stretch_limit) };
    aimed = true;
    draw();
  });
}
$("shoot").addEventListener("click", shoot);
$("tap").addEventListener("click", tap);
$("again").addEventListener("click", again);
$("pause").addEventListener("click", playOrPause);
$("scrub").addEventListener("input", () => { timeline.playing = false; timeline.seek(Number($("scrub").value)); });
$("speed").addEventListener("change", setSpeed);
$("solution").addEventListener("click", watchSolution);
$("restart").addEventListener("click", () => {
  again();
  record = { ...EMPTY };
  watched = false;
  store(`phyq:${level.id}`, record);
  invite();
  update();
  draw();
});
$("ghosts").addEventListener("click", toggleGhosts);
$("on-release").addEventListener("click", () => {
  shootsOnRelease = !shootsOnRelease;
  store("phyq:on-release", shootsOnRelease);
  showOptions();
});
$("closer").addEventListener("click", () => zoom(1.5));
$("wider").addEventListener("click", () => zoom(1 / 1.5));
$("fit").addEventListener("click", fit);
$("random").addEventListener("click", goRandom);
for (const name of ["next", "previous"]) {
  $(name).addEventListener("click", (event) => {
    if (!level?.[name] || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(level[name]);
  });
}
acceptLevels($("file"), {
  opened(own) {
    keepLevel(own);
    history.pushState({}, "", `/phyq/${OWN}`);
    open({ ...own, id: OWN });
  },
  failed: (message) => say(message, "problem"),
});
for (const [name, label] of Object.entries(NAMES)) $("palette").append(new Option(label, name));
$("palette").addEventListener("change", () => setPalette($("palette").value));
new ResizeObserver(() => { if (camera.resize()) draw(); }).observe(canvas);
const levelInAddress = () => decodeURIComponent(location.pathname.split("/").pop());
window.addEventListener("popstate", () => load(levelInAddress()));

setSpeed();
showOptions();
setPalette(palette);
await load(levelInAddress());
