// Progress and quality of a study, read again every few seconds. The token stands in the address after #, which no
// server sees, or is typed.
const $ = (name) => document.querySelector(`#${name}`);
const EVERY = 3000;
const ROWS = 200; // that the server sends at once
let token = decodeURIComponent(location.hash.slice(1)) || sessionStorage.getItem("study token") || "";
let timer = 0;
let first = 0; // of the participants that are shown
const seconds = (value) => value === null ? "–" : value.toFixed(1);
const percent = (share) => `${(100 * share).toFixed(0)} %`;
const many = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

async function ask(path, body) {
  const headers = { Authorization: `Bearer ${token}`, ...(body ? { "Content-Type": "application/json" } : {}) };
  const response = await fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.error), { status: response.status });
  return answer;
}

function row(tag, cells) {
  const line = document.createElement("tr");
  line.append(...cells.map((text) => Object.assign(document.createElement(tag), { textContent: text, className: typeof text === "string" && /[a-z] [a-z]/.test(text) && tag === "td" ? "words" : "" })));
  return line;
}

function fill(name, head, rows) {
  $(name).replaceChildren(row("th", head), ...(rows.length ? rows.map((cells) => row("td", cells)) : [row("td", ["none yet", ...head.slice(1).map(() => "")])]));
}

function ago(time) {
  const past = Math.max(0, Date.now() / 1000 - time);
  if (past < 90) return `${Math.round(past)} s ago`;
  return past < 5400 ? `${Math.round(past / 60)} min ago` : new Date(1000 * time).toLocaleString();
}

function show(data) {
  $("title").textContent = `${data.study}: ${data.title}`;
  document.title = `${data.title} · progress`;
  $("summary").textContent = `${many(data.began, "participant")} began, ${data.finished} finished; ${many(data.unused_codes, "code")} `
    + `not used. ${many(data.tasks, "task")}, ${many(data.attempts, "attempt")} allowed at each. Practice is left out here.`;
  fill("people", ["code", "tasks", "solved", "given up", "attempts", "to think, s", "fast", "repeated", "last seen", "what looks wrong"],
    data.participants.map((one) => [one.code, `${one.tasks_done} of ${one.tasks}`, one.solved, one.given_up, one.attempts,
      seconds(one.median_seconds), one.fast, one.repeated, ago(one.last), one.problems.join("; ") || "–"]));
  const last = first + data.participants.length;
  $("pages").hidden = data.began === data.participants.length;
  $("range").textContent = `${first + 1} to ${last} of ${data.began}`;
  $("earlier").disabled = first === 0;
  $("later").disabled = last >= data.began;
  fill("attempts", ["attempt", "made", "tasks solved within", "to think, s"],
    data.by_attempt.map((one) => [one.number, one.made, percent(one.solved_within), seconds(one.seconds && one.seconds[1])]));
  fill("tasks", ["task", "participants", "solved", "attempts until solved", "to think, s"],
    data.by_task.map((one) => [one.task, one.participants, one.solved, seconds(one.mean_attempts), seconds(one.median_seconds)]));
  const links = data.unused.map((code) => `${location.origin}/study/${code}`);
  $("older").hidden = data.unused_codes === links.length;
  $("older").textContent = `The newest ${links.length} of ${data.unused_codes}:`;
  if ($("links").childElementCount !== links.length || $("links").lastChild?.textContent !== links.at(-1)) {
    $("links").replaceChildren(...links.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
  }
}

async function update() {
  clearTimeout(timer);
  try {
    show(await ask(`/study/api/admin?first=${first}`));
    sessionStorage.setItem("study token", token);
    $("message").textContent = "";
    $("live").textContent = `live, ${new Date().toLocaleTimeString()}`;
    $("enter").hidden = true;
    $("study").hidden = false;
  } catch (error) {
    if (error.status === 401 || error.status === 429) return refuse(error.message);
    $("live").textContent = "no connection to the server";
  }
  timer = setTimeout(update, EVERY);
  return undefined;
}

function refuse(message) {
  $("message").textContent = message;
  $("enter").hidden = false;
  $("study").hidden = true;
  $("token-field").focus();
}

for (const [name, direction] of [["earlier", -1], ["later", 1]]) {
  $(name).addEventListener("click", () => {
    first = Math.max(0, first + direction * ROWS);
    update();
  });
}
$("enter").addEventListener("submit", (event) => {
  event.preventDefault();
  token = $("token-field").value.trim();
  update();
});
$("invite").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await ask("/study/api/admin/codes", { count: Number($("count").value) });
  } catch (error) {
    $("message").textContent = error.message;
    return;
  }
  update();
});
if (location.hash) history.replaceState({}, "", location.pathname);
if (token) update();
else refuse("");
