// The page of a study around its tasks: code, consent, questions, thanks.
import { getJson, postJson } from "/static/api.js";

const $ = (name) => document.querySelector(`#${name}`);
const PARTS = ["code", "consent", "questions", "finished"];
let step = null;

function paragraphs(target, text) {
  target.replaceChildren(...text.split(/\n\s*\n/).map((part) => Object.assign(document.createElement("p"), { textContent: part })));
}

// A group of choices, or a field for a short text.
function field({ id, text, options, required }) {
  const group = document.createElement(options.length ? "fieldset" : "div");
  group.className = "question";
  const label = document.createElement(options.length ? "legend" : "label");
  label.textContent = required ? text : `${text} (may be left out)`;
  group.append(label);
  if (!options.length) {
    label.htmlFor = `answer-${id}`;
    group.append(Object.assign(document.createElement("textarea"), { id: `answer-${id}`, name: id, maxLength: 1000, rows: 3, required }));
  }
  for (const option of options) {
    const choice = document.createElement("label");
    choice.append(Object.assign(document.createElement("input"), { type: "radio", name: id, value: option, required }), option);
    group.append(choice);
  }
  return group;
}

function show(next) {
  step = next;
  $("title").textContent = step.title;
  document.title = `${step.title} · Tumble`;
  if (step.kind === "practice" || step.kind === "task") return location.replace("/study/task");
  if (location.pathname !== "/study/" || location.search) history.replaceState({}, "", "/study/");
  for (const part of PARTS) $(part).hidden = part !== step.kind;
  if (step.kind === "code") $("without").hidden = !step.open;
  if (step.kind === "consent") paragraphs($("consent-text"), step.consent);
  if (step.kind === "questions") $("fields").replaceChildren(...step.questions.map(field));
  if (step.kind === "finished") {
    paragraphs($("thanks"), step.thanks);
    $("own-code").textContent = step.code;
  }
  $(step.kind).querySelector("input, button")?.focus();
  return undefined;
}

async function attempt(request) {
  $("message").textContent = "";
  try {
    show(await request());
  } catch (error) {
    if (error.status === 409) show(await getJson("/study/api/step"));
    else $("message").textContent = error.message;
    return false;
  }
  return true;
}

function on(name, request) {
  $(name).addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = event.submitter;
    if (button) button.disabled = true;
    await attempt(() => request(new FormData(event.target)));
    if (button) button.disabled = false;
  });
}

on("code", () => postJson("/study/api/begin", { code: $("code-field").value }));
$("anyone").addEventListener("click", () => attempt(() => postJson("/study/api/begin", {})));
on("consent", () => postJson("/study/api/consent", { participant: step.participant }));
on("questions", (form) => {
  const answers = Object.fromEntries([...form].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));
  return postJson("/study/api/answers", { participant: step.participant, answers });
});

const code = new URLSearchParams(location.search).get("code") ?? decodeURIComponent(location.pathname.slice("/study/".length));
const known = code && await attempt(() => postJson("/study/api/begin", { code }));
if (!known) {
  const message = $("message").textContent;
  await attempt(() => getJson("/study/api/step"));
  $("message").textContent ||= message;
}
