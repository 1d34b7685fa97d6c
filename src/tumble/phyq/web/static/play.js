// The page of a level: draw the sling, shoot, use powers, watch, try again.
import { getJson, store, stored } from "/static/api.js";
import { openSession } from "/static/session.js";
import { Timeline } from "/static/timeline.js";
import { Camera } from "/phyq/static/camera.js";
import { NAMES, coloursOf } from "/phyq/static/colours.js";
import { keysOn, pointersOn } from "/phyq/static/controls.js";
import { Game, OWN } from "/phyq/static/game.js";
import { acceptLevels, keepLevel, keptLevel } from "/phyq/static/own.js";
import { Painter } from "/phyq/static/painter.js";
import { LevelView } from "/phyq/static/view.js";

const $ = (name) => document.querySelector(`#${name}`);
const canvas = $("canvas");
const camera = new Camera(canvas);
const TOO_EARLY = "Too early: a power works when the bird has left the sling behind.";
const STEP = 0.02; // seconds, of all levels
const many = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
const percent = (share) => `${Math.round(100 * share)} %`;

// A shot as in run logs: angle, stretch, tap_ms, tap_share, delay; and back.
const numbersOf = ({ angle, stretch, tap_ms: tapped, delay }) => [angle, stretch, tapped ?? null, null, delay ?? null];
function shotsOf(numbers) {
  const shots = [];
  for (let k = 0; k < numbers.length; k += 5) {
    const [angle, stretch, tapped, , delay] = numbers.slice(k, k + 5);
    shots.push({ angle, stretch, ...(tapped === null ? {} : { tap_ms: tapped }), ...(delay === null ? {} : { delay }) });
  }
  return shots;
}

const session = await openSession("phyq", ({ shots }) => numbersOf(shots.at(-1)), () => load());
let game = null;
let view = null;
let pulling = false; // with a pointer
let palette = stored("palette", "standard") in NAMES ? stored("palette", "standard") : "standard";
let ghosts = stored("ghosts", true);
let shootsOnRelease = stored("phyq:on-release", true);

const timeline = new Timeline(1 / STEP, (frame) => {
  game.seen = Math.max(game.seen, frame);
  showTime(frame);
  draw();
  update();
  if (game.isSeen) finish();
  else if (game.clip && game.canAim) inviteEarly();
});

// ---- drawing and words

function draw() {
  if (!view) return;
  const frame = game.clip ? timeline.frame : 0;
  const { clip, aim, aimed, nextBird } = game;
  view.draw({ clip, frame, aim: aimed ? aim : null, next: nextBird, ghosts: game.flightsAt(frame, ghosts && session.ghosts), showsLabel: pulling });
}

function showTime(frame) {
  $("scrub").value = frame;
  $("time").textContent = `${(frame * STEP).toFixed(1)} s`;
}

function say(text, kind = "") {
  if ($("status").textContent !== text) $("status").textContent = text;
  $("status").className = `status ${kind}`;
}

// What can be done now, in the controls.
function update() {
  if (!game) return;
  const { canAim, canTap, isOver, waiting, clip } = game;
  $("shoot").disabled = waiting || (!canAim && !isOver);
  $("shoot").textContent = game.isDone ? "Next level" : isOver ? "Try again" : "Shoot";
  $("tap").disabled = !canTap;
  $("again").disabled = waiting || !clip;
  $("angle").disabled = $("stretch").disabled = !canAim;
  $("pause").disabled = $("scrub").disabled = !clip || waiting || isLive();
  $("pause").textContent = timeline.playing ? "❚❚" : "▶";
  setSpeed();
  showCounts();
}

// In a study time can't be stopped or slowed while a power can be used.
const isLive = () => session.studies && game.canTap;

function showCounts() {
  const { level, record } = game;
  const frame = game.clip ? Math.floor(timeline.frame) : 0;
  const pigs = game.pigsAt(frame);
  $("pigs").textContent = pigs;
  $("pigs-word").textContent = pigs === 1 ? "pig left" : "pigs left";
  const used = game.birdsUsedAt(frame);
  [...$("birds").children].forEach((one, k) => { one.className = k < used ? "bird used" : "bird"; });
  $("birds").setAttribute("aria-label", `${level.birds.length - used} of ${many(level.birds.length, "bird")} left`);
  $("left").textContent = game.isOwn ? "any number of" : game.attemptsLeft;
  $("restart").hidden = !record.count || game.isOwn;
  $("rule").hidden = !game.knowsRule || !level.rule;
  $("solution").disabled = game.waiting || !level.solution || !record.tries.length;
  $("solution").title = record.tries.length || !level.solution ? "" : "After your first attempt";
}

function showBirds() {
  const colours = coloursOf(game.level.colours, palette);
  $("birds").replaceChildren(...game.level.birds.map(({ colour }) => {
    const one = document.createElement("i");
    one.className = "bird";
    one.title = `${colour} bird`;
    one.style.background = colours[colour];
    one.textContent = colour[0].toUpperCase();
    one.style.color = ["yellow", "white"].includes(colour) ? "#000" : "#fff";
    return one;
  }));
}

function invite() {
  const { level, shots } = game;
  if (!game.attemptsLeft && !shots.length) return say("No attempts left. Start over, or go to the next level.", "problem");
  const { colour, power } = level.birds[shots.length];
  const which = level.birds.length > 1 ? `${shots.length ? "Next" : "First"}: the ${colour} bird` : `A ${colour} bird`;
  return say(`${which}. Draw the sling and let go.${power ? ` Tap while it flies and ${power}.` : ""}`);
}

// The next bird may be shot before everything rests.
function inviteEarly() {
  if (game.clip.invited) return;
  game.clip.invited = true;
  session.ready();
  say(`The ${game.level.birds[game.shots.length].colour} bird is ready: shoot now, or when everything rests.`);
}

// ---- shots

// What has been seen has happened: the next shot or tap is made there.
function catchUp() {
  if (game.clip && Math.floor(timeline.frame) < game.seen) timeline.seek(game.seen);
}

function setAim(angle, stretch) {
  if (!game?.canAim) return;
  catchUp();
  game.setAim(angle, stretch);
  showAim();
  draw();
}

function showAim() {
  $("angle").value = game.aim.angle;
  $("stretch").value = game.aim.stretch;
}

// What the server says about shots; null if it can't be asked, which is told.
async function ask(shots, first, changes = false) {
  const asking = game;
  const what = game.isOwn ? { level: game.level.text } : { task: game.level.id };
  game.waiting = true;
  update();
  try {
    const request = { ...what, shots, from_shot: first };
    const answer = await (changes ? session.change(request) : session.attempt(request));
    return asking === game ? answer : null;
  } catch (error) {
    if (asking === game) say(error.message, "problem");
    return null;
  } finally {
    asking.waiting = false;
    update();
  }
}

function showAt(frame) {
  $("scrub").max = game.clip.frames - 1;
  timeline.frames = game.clip.frames;
  timeline.seek(frame);
}

function playFrom(frame) {
  showAt(frame);
  timeline.play();
}

async function shoot() {
  if (!game) return undefined;
  if (game.isDone) return nextTask();
  if (game.isOver) return again();
  if (!game.canAim) return undefined;
  catchUp();
  performance.mark("shot");
  const { level, shots } = game;
  const shot = game.nextShot();
  const wasPlaying = timeline.playing;
  timeline.playing = false;
  game.aimed = true;
  const answer = await ask([...shots, shot], shots.length);
  if (!answer) {
    if (wasPlaying) timeline.play();
    return draw();
  }
  game.addShot(shot, answer);
  const { colour, power } = level.birds[game.clip.shot];
  say(power ? `The ${colour} bird flies: tap and ${power}.` : `The ${colour} bird flies.`);
  playFrom(0);
  requestAnimationFrame(() => performance.measure("shot to first frame", "shot"));
  return undefined;
}

// Uses the power of the bird in flight at the frame that is seen: the shot with this tap is simulated from its start.
async function tap() {
  if (!game?.canTap) return;
  catchUp();
  const wasPlaying = timeline.playing;
  timeline.playing = false;
  const shot = game.tappedShot();
  const answer = await ask([...game.shots.slice(0, -1), shot], game.shots.length - 1, true);
  if (answer && (answer.tapped.at(-1) !== null || session.studies)) {
    game.replaceShot(shot, answer);
    say(answer.tapped.at(-1) === null ? TOO_EARLY : `Power used after ${(shot.tap_ms / 1000).toFixed(2)} s.`);
    playFrom(game.seen);
    if (!wasPlaying) timeline.pause();
    return;
  }
  if (answer) say(TOO_EARLY);
  if (wasPlaying) timeline.play();
}

// The outcome is told when it has been seen.
function finish() {
  const { clip } = game;
  if (clip.told) return;
  clip.told = true;
  const { status, pigs_left: pigs, shots_used: used, seconds } = clip.answer;
  if (!clip.mine) {
    say(`That was a stored solution: ${many(used, "shot")}, ${seconds.toFixed(1)} s.`);
  } else if (status === "open") {
    invite();
  } else {
    game.keepTry();
    const goesOn = session.studies && !clip.answer.over ? " Every attempt counts: play it again." : "";
    if (status === "won") say(`Solved with ${many(used, "bird")} in ${seconds.toFixed(1)} s!${goesOn}`, "solved");
    else say(`Not solved: ${many(pigs, "pig")} left${game.attemptsLeft ? ". Try again." : ", and no attempts."}`, "problem");
  }
  if (!clip.answer.over) session.ready();
  update();
}

// The level from its start; an attempt that was not over is given up.
function again() {
  if (!game || game.waiting || (session.studies && (!game.isOver || game.isDone))) return;
  const { clip } = game;
  if (clip?.mine && (!clip.told || clip.answer.status === "open")) game.keepTry();
  timeline.stop();
  game.reset();
  pulling = false;
  showTime(0);
  invite();
  update();
  draw();
  canvas.focus({ preventScroll: true });
}

async function watchSolution() {
  again();
  try {
    const { shots } = await getJson(`/phyq/api/tasks/${game.level.id}/solution`);
    const answer = await ask(shots, 0);
    if (!answer) return;
    game.watched = true;
    game.show(answer, false);
    say("A stored solution …");
    playFrom(0);
  } catch (error) {
    say(error.message, "problem");
  }
}

// ---- levels

function open(level) {
  timeline.stop();
  game = new Game(level, session);
  pulling = false;
  camera.fit(level.view);
  view = new LevelView(new Painter(camera, level), level);
  const title = level.name ?? `${level.id} · ${level.scenario}. ${level.title}`;
  document.title = `${title} · Phy-Q · Tumble`;
  $("title").textContent = title;
  $("rule").textContent = level.rule ? `${level.title}: ${level.rule} In the paper, people pass ${percent(level.rates.people)} `
    + `of this scenario's levels, random shots ${percent(level.rates.random)}.` : "";
  $("next").href = `/phyq/${level.next ?? ""}`;
  $("previous").href = `/phyq/${level.previous ?? ""}`;
  $("edit").href = `/phyq/edit?from=${level.id}`;
  showTime(0);
  showAim();
  setPalette(palette);
  if (game.clip) showAt(game.seen);
  invite();
  update();
  session.ready();
}

async function nextTask() {
  if (!session.studies) return go(game.level.next);
  await load();
  return canvas.focus({ preventScroll: true });
}

async function load(id) {
  try {
    if (session.studies) {
      const level = await session.load();
      return open({ ...level, begun: shotsOf(level.begun) });
    }
    if (id !== OWN) return open(await session.load(id));
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
  view.painter.colours = coloursOf(game.level.colours, palette);
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
  timeline.speed = game && isLive() ? 1 : Number($("speed").value);
}

function nextSpeed() {
  $("speed").selectedIndex = ($("speed").selectedIndex + 1) % $("speed").options.length;
  setSpeed();
}

function playOrPause() {
  if (!game?.clip || game.waiting || isLive()) return;
  timeline.toggle();
}

function seek(frame) {
  if (!game?.clip || game.waiting || isLive()) return;
  timeline.playing = false;
  timeline.seek(frame);
}

// Towards the sling while a bird can be shot, else towards a pig.
function zoom(factor) {
  const { rest, objects, pigs } = game?.level ?? { rest: [0, 0], objects: [], pigs: 0 };
  const places = objects.slice(0, pigs).map(({ pose }) => pose);
  camera.zoomBy(factor, camera.firstSeen(game?.canAim ? [rest, ...places] : [...places, rest]));
  draw();
}

function fit() {
  camera.fit();
  draw();
}

// Lets the bird back into the sling, or starts the level again.
function cancel() {
  if (!game?.aimed || game.waiting) return again();
  game.aimed = false;
  return draw();
}

// ---- events

pointersOn(canvas, camera, {
  bird: () => game?.canAim ? (game.aimed ? view.pulled(game.aim) : game.level.rest) : null,
  rest: () => ({ point: game.level.rest, rules: game.level.rules }),
  take() {
    catchUp();
    pulling = true;
  },
  pull(shot) {
    if (!pulling || !game.canAim) return;
    game.aimed = shot !== null;
    if (shot) game.aim = shot;
    showAim();
    draw();
  },
  letGo(shoots) {
    const released = pulling && shoots && game.aimed && shootsOnRelease;
    pulling = false;
    if (released) shoot();
    draw();
  },
  tap,
  moved: draw,
});

const step = (change) => seek(Math.floor(timeline.frame) + change);
const others = { "n": () => go(game?.level.next), "p": () => go(game?.level.previous), "x": goRandom };
keysOn({
  fields: [$("angle"), $("stretch")],
  shoot,
  aim: (turn, stretch) => game && setAim(game.aim.angle + turn, game.aim.stretch + stretch),
  keys: {
    "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), "_": () => zoom(0.8), "0": fit,
    "enter": shoot, " ": () => game?.canTap ? tap() : playOrPause(), "t": tap, "r": again, "escape": cancel,
    ...(session.studies ? {} : others),
    "s": nextSpeed, ",": () => step(-1), ".": () => step(1), "g": toggleGhosts,
    "c": () => setPalette(palette === "standard" ? "distinct" : "standard"),
  },
});

for (const name of ["angle", "stretch"]) {
  $(name).addEventListener("input", () => {
    const { value, validity } = $(name);
    if (value === "" || validity.rangeOverflow || validity.rangeUnderflow || !game.canAim) return;
    catchUp();
    game.setAim(Number($("angle").value), Number($("stretch").value));
    draw();
  });
}
$("shoot").addEventListener("click", shoot);
$("tap").addEventListener("click", tap);
$("again").addEventListener("click", again);
$("pause").addEventListener("click", playOrPause);
$("scrub").addEventListener("input", () => seek(Number($("scrub").value)));
$("speed").addEventListener("change", setSpeed);
$("solution").addEventListener("click", watchSolution);
$("restart").addEventListener("click", () => {
  again();
  game.forget();
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
    if (!game?.level[name] || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(game.level[name]);
  });
}
if (!session.studies) acceptLevels($("file"), {
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
