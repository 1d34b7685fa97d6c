// The page of a set: watch the videos, answer its questions one after the other, and see what is right and why.
import { getJson, postJson } from "/static/api.js";
import { keysOn } from "/comphy/static/keys.js";
import { Options } from "/comphy/static/options.js";
import { forget, keepRecord, recordOf, scoreTable, soFar } from "/comphy/static/score.js";
import { Stage } from "/comphy/static/stage.js";
import { explanation, summary } from "/comphy/static/why.js";

const $ = (name) => document.querySelector(`#${name}`);
const SETS = 100_000;
const BEFORE_END = 25; // frames of the target that are played before what happens next
const KINDS = { factual: "Factual: what is", predictive: "Predictive: what will be", counterfactual: "Counterfactual: what would be" };

let set = null;
let record = null;
let at = 0; // the question; one more than the last for the summary
let told = null; // what the server said about it
let waiting = false;
let wantedSet = ""; // the set that was asked for last
let tracksOf = ""; // the set whose tracks are there

const stage = new Stage((message) => say(message, "problem"));
const options = new Options($("form"), update);
const count = () => set.questions.length;
const isSummary = () => at === count();
const isAnswered = (k) => k in record.answers;
const open = () => set.questions.findIndex((_, k) => !isAnswered(k));

function say(text, kind = "") {
  $("status").textContent = text;
  $("status").className = `status ${kind}`;
}

// ---- what is shown

function update() {
  if (!set) return;
  const last = isSummary();
  const done = last || isAnswered(at);
  $("answer").hidden = done;
  $("answer").disabled = waiting || (!last && options.answer === null);
  $("answer").textContent = !last && options.answer instanceof Array && !options.answer.includes("correct") ? "Answer: none" : "Answer";
  $("skip").disabled = waiting;
  $("skip").className = done ? "primary" : "";
  $("skip").textContent = last ? "Next set" : done && open() < 0 ? "The whole set" : done ? "Next question" : "Skip";
  $("forget").hidden = !Object.keys(record.answers).length;
  showDots();
}

function showDots() {
  const dots = set.questions.map(({ kind }, k) => {
    const mark = record.marks[k];
    const state = mark ? (mark.correct.every(Boolean) ? "right" : "wrong") : "open";
    const dot = Object.assign(document.createElement("button"), { type: "button", className: `dot ${state}`, textContent: k + 1 });
    dot.setAttribute("aria-label", `Question ${k + 1}, ${kind}${mark ? `, ${state}` : ""}`);
    if (k === at) dot.setAttribute("aria-current", "true");
    dot.addEventListener("click", () => ask(k));
    return dot;
  });
  $("dots").replaceChildren(...dots);
}

function showScore() {
  $("score").replaceChildren(...scoreTable(set.published));
}

// ---- questions

async function ask(k) {
  if (waiting) return;
  at = k;
  told = null;
  stage.closeWorld();
  stage.point([]);
  $("why").hidden = true;
  $("asked").hidden = isSummary();
  history.replaceState({}, "", `/comphy/${set.id}${isSummary() ? "" : `#${k + 1}`}`);
  if (isSummary()) {
    await finish();
    return;
  }
  const question = set.questions[k];
  $("kind").textContent = `Question ${k + 1} of ${count()} · ${KINDS[question.kind]}`;
  $("text").textContent = question.text;
  options.show(question);
  say(soFar());
  update();
  if (isAnswered(k)) await check(record.answers[k]);
}

// Sends an answer, and shows what is right and why. An answer counts once.
async function check(answer) {
  waiting = true;
  options.lock(answer);
  update();
  try {
    told = await postJson("/comphy/api/answers", { set: set.id, question: at, answer });
    if (!isAnswered(at)) {
      record.answers[at] = answer;
      record.marks[at] = { kind: told.kind, family: told.family, correct: told.correct };
      keepRecord(set.id, record);
      showScore();
    }
  } catch (error) {
    if (!isAnswered(at)) options.unlock();
    say(error.message, "problem");
  }
  waiting = false;
  update();
  if (told) await explain();
}

async function explain() {
  const mine = told;
  const right = told.correct.filter(Boolean).length;
  const parts = told.options ? `: ${right} of ${told.correct.length} options` : "";
  options.tell(told);
  if (told.right) say("Right.", "solved");
  else say(told.options ? `Wrong${parts} right.` : `Wrong: it is ${told.answer}.`, "problem");
  $("why").replaceChildren(...explanation(told, point));
  $("why").hidden = false;
  await loadTracks();
  if (told === mine && told.world) stage.openWorld(told.world, told.world.first ? told.world.first - BEFORE_END : 0);
}

async function loadTracks() {
  if (tracksOf === set.id) return;
  const { id } = set;
  try {
    const tracks = await getJson(`/comphy/api/sets/${id}/tracks`);
    if (id !== set.id) return;
    tracksOf = id;
    stage.setTracks(tracks);
  } catch { /* the explanation is there without them; the next answer tries again */ }
}

// Marks bodies in the videos, and shows the moment of an event.
function point(bodies, frame) {
  stage.point(bodies, frame);
  $("stage").scrollIntoView({ block: "nearest" });
}

// The whole set, when all its questions are answered.
async function finish() {
  const { id, next: following } = set;
  update();
  try {
    const answers = set.questions.map((_, k) => record.answers[k]);
    const whole = await postJson("/comphy/api/summaries", { set: id, answers });
    if (set.id !== id || !isSummary()) return;
    const right = whole.right.filter(Boolean).length;
    say(`Set ${id}: ${right} of ${count()} questions right. ${soFar()}`, right === count() ? "solved" : "");
    $("why").replaceChildren(...summary(whole, point));
    $("why").hidden = false;
    await loadTracks();
    const found = await getJson(`/comphy/api/sets/${following}`);
    if (set.id === id) stage.prepare(found);
  } catch (error) {
    if (set.id === id && isSummary()) say(error.message, "problem");
  }
}

// The next question that is open, the whole set when there is none, and then the next set.
function next() {
  if (!set || waiting) return;
  if (isSummary()) go(set.next);
  else if (open() < 0) ask(count());
  else {
    const later = set.questions.findIndex((_, k) => k > at && !isAnswered(k));
    ask(later < 0 ? open() : later);
  }
}

function previous() {
  if (set && at > 0) ask(at - 1);
}

function answer() {
  if (!set || waiting) return;
  if (isSummary() || isAnswered(at)) next();
  else if (options.answer !== null) check(options.answer);
}

// ---- sets

async function load(id) {
  const wanted = Number(location.hash.slice(1));
  wantedSet = id;
  say("Making the set …");
  try {
    const found = await getJson(`/comphy/api/sets/${id}`);
    if (wantedSet !== id) return; // another one was asked for meanwhile
    set = found;
  } catch (error) {
    if (wantedSet === id) say(error.message, "problem");
    return;
  }
  record = recordOf(id);
  tracksOf = "";
  document.title = `Set ${id} · ComPhy · Tumble`;
  $("title").textContent = `Set ${id}`;
  $("next").href = `/comphy/${set.next}`;
  $("previous").href = `/comphy/${set.previous}`;
  showScore();
  const { id: opened } = set;
  const playing = stage.open(set, (share) => {
    if (!told && opened === set.id && !isSummary()) say(share < 1 ? `Rendering the videos: ${Math.round(100 * share)} %` : soFar());
  });
  await ask(wanted >= 1 && wanted <= count() ? wanted - 1 : Math.max(0, open()));
  await playing;
}

async function go(id) {
  if (!id || waiting) return;
  history.pushState({}, "", `/comphy/${id}`);
  await load(id);
}

const goRandom = () => go(`${set?.world === "div" ? "div-" : ""}${set?.seed ?? 1}-${String(Math.floor(Math.random() * SETS)).padStart(5, "0")}`);

// ---- events

$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  answer();
});
$("skip").addEventListener("click", next);
$("random").addEventListener("click", goRandom);
$("forget").addEventListener("click", () => {
  forget(set.id);
  record = recordOf(set.id);
  showScore();
  ask(0);
});
for (const name of ["next", "previous"]) {
  $(name).addEventListener("click", (event) => {
    if (!set || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(set[name]);
  });
}
keysOn({
  digit: (k) => { if (set && !isSummary()) options.press(k); },
  keys: {
    "enter": answer, "n": next, "p": previous, "x": goRandom,
    " ": () => stage.playOrPause(), "s": () => stage.nextSpeed(), ",": () => stage.step(-1), ".": () => stage.step(1),
    "r": () => stage.restart(), "v": () => stage.enlargeNext(), "t": () => stage.toggleTracks(),
  },
});
const setInAddress = () => decodeURIComponent(location.pathname.split("/").pop());
window.addEventListener("popstate", () => load(setInAddress()));
await load(setInAddress());
