// One run on the page of a replay: its attempts at the task, and the one that is shown, on a canvas or in words.
import { getJson } from "/static/api.js";
import { capital, make, resultWords, runLabel } from "/static/watch_parts.js";

const DRAG_PIXELS = 6;

export class Panel {
  // `changed` is called when another attempt is shown, `chosen` with the number of one that was clicked, `touched` when
  // the canvas was, and `redraw` when its picture changes without the time.
  constructor(root, { changed, chosen, touched, redraw }) {
    this.root = root;
    this.on = { changed, chosen, touched, redraw };
    this.run = "";
    this.opened = 0; // counts what was asked for: late answers are dropped
    this.clear();
  }

  clear() {
    this.run = "";
    this.opened += 1;
    this.view = null; // what draws: the class of the benchmark's script
    this.attempts = [];
    this.attempt = 0;
    this.root.replaceChildren();
  }

  get frames() { return this.view?.frames ?? 1; }
  get count() { return this.attempts.length; }
  get isOpen() { return this.run !== ""; }

  // Shows a task of a run: the attempt with a number, or else the first that solves it, or the first of all.
  async open(page, script, number) {
    const token = ++this.opened;
    const api = `/watch/api/runs/${page.id}`;
    const query = new URLSearchParams({ task: page.task.id });
    const [listed, scene] = await Promise.all([allAttempts(api, query), script ? getJson(`${api}/scene?${query}`) : null]);
    if (token !== this.opened) return;
    this.clear(); // what was shown before stays until here
    Object.assign(this, { page, api, query, run: page.id, attempts: listed.attempts });
    this.build();
    this.remark.textContent = listed.remark;
    this.root.parentElement.classList.toggle("words", !scene);
    if (scene) this.openScene(script, scene);
    else this.showDetails();
    this.showDots();
    const wanted = this.attempts.find((one) => one.attempt === number) ?? this.attempts.find((one) => one.solved) ?? this.attempts[0];
    if (wanted) await this.go(wanted.attempt);
    else this.say(`No ${page.attempt_word} was made.`);
  }

  build() {
    const { page } = this;
    const noun = page.attempt_word;
    this.canvas = make("canvas", { tabIndex: 0, label: `${capital(page.task_word)} ${page.task.id}, replay of ${page.agent}. Space plays or pauses.` });
    this.canvas.setAttribute("role", "img");
    this.board = make("div", { className: "board" }, this.canvas);
    this.caption = make("p", { className: "caption" });
    this.told = make("p", { className: "told" });
    this.told.setAttribute("role", "status");
    this.check = make("p", { className: "check" });
    this.remark = make("p", { className: "remark" });
    this.before = make("button", { textContent: "‹", label: `Previous ${noun}` });
    this.after = make("button", { textContent: "›", label: `Next ${noun}` });
    this.number = make("span", { className: "number" });
    this.dots = make("div", { className: "dots" });
    this.details = make("ol", { className: "details", hidden: true });
    this.before.addEventListener("click", () => this.step(-1));
    this.after.addEventListener("click", () => this.step(1));
    let pressed = [0, 0];
    this.canvas.addEventListener("pointerdown", ({ clientX, clientY }) => { pressed = [clientX, clientY]; });
    this.canvas.addEventListener("click", ({ clientX, clientY }) => {
      if (Math.hypot(clientX - pressed[0], clientY - pressed[1]) < DRAG_PIXELS) this.on.touched(); // else it was dragged
    });
    this.root.replaceChildren(
      make("header", {}, make("h2", {}, make("a", { href: `/watch/${page.id}`, textContent: page.agent })),
        make("small", {}, make("span", { className: "conditions", textContent: `${runLabel({ ...page, agent: "" })} · ` }), make("span", { className: "result", textContent: resultWords(page.task, page) }))),
      this.board, this.caption,
      make("div", { className: "stepper" }, this.before, this.number, this.after, this.told),
      this.check, this.dots, this.remark, this.details,
    );
  }

  openScene(script, scene) {
    this.view = new script.Replay(this.canvas, scene, this.on.redraw);
    this.board.style.setProperty("--ratio", this.view.ratio);
    this.root.parentElement.classList.toggle("wide", this.view.ratio > 1.2);
    this.root.parentElement.classList.toggle("square", this.view.ratio <= 1.2);
    this.view.resize();
  }

  // Attempts in words: questions with given and right answers, or their outcomes.
  showDetails() {
    this.board.hidden = this.caption.hidden = this.check.hidden = true;
    this.details.hidden = false;
    this.details.replaceChildren(...this.attempts.map((one) => {
      const item = make("li", { className: one.solved ? "solved" : "unsolved", data: { attempt: one.attempt } },
        make("p", {}, make("b", { textContent: `${one.solved ? "✓" : "✗"} ${capital(one.outcome)}` }), one.details ? ` ${one.details.text}` : ""));
      if (one.details) item.append(answersTable(one.details.parts));
      item.addEventListener("click", () => this.on.chosen(one.attempt));
      return item;
    }));
  }

  showDots() {
    const noun = capital(this.page.attempt_word);
    this.dots.hidden = this.count < 2;
    this.dots.replaceChildren(...this.attempts.map(({ attempt, solved, outcome }) => {
      const dot = make("button", { className: solved ? "dot solved" : "dot", tabIndex: -1, title: `${noun} ${attempt}: ${outcome}`, label: `${noun} ${attempt}: ${outcome}`, data: { attempt } });
      dot.addEventListener("click", () => this.on.chosen(attempt));
      return dot;
    }));
  }

  say(text, kind = "") {
    this.told.textContent = text;
    this.told.className = `told ${kind}`;
  }

  place() { return this.attempts.findIndex((one) => one.attempt === this.attempt); }

  step(change) {
    const next = this.attempts[this.place() + change];
    if (next) this.on.chosen(next.attempt);
  }

  // Shows an attempt: asks the server to make it again.
  async go(number) {
    const row = this.attempts.find((one) => one.attempt === number);
    if (!row) return;
    const token = ++this.opened;
    this.attempt = number;
    const at = this.place();
    this.number.textContent = `${capital(this.page.attempt_word)} ${number} of ${this.count}`;
    this.before.disabled = at <= 0;
    this.after.disabled = at >= this.count - 1;
    const thought = row.thought === null ? "" : ` · thought for ${row.thought.toFixed(1)} s`;
    this.say(`${capital(row.outcome)}${thought}`, row.solved ? "solved" : "");
    for (const dot of this.dots.children) {
      if (dot.dataset.attempt === String(number)) {
        dot.setAttribute("aria-current", "true");
        this.dots.scrollTop = dot.offsetTop - this.dots.offsetTop - this.dots.clientHeight / 2;
      }
      else dot.removeAttribute("aria-current");
    }
    for (const item of this.details.children) item.classList.toggle("chosen", item.dataset.attempt === String(number));
    if (!this.view) return;
    this.check.textContent = "Simulating …";
    this.check.className = "check";
    try {
      const { clip, same, difference } = await getJson(`${this.api}/attempts/${number}?${this.query}`);
      if (token !== this.opened) return;
      this.view.show(clip);
      this.check.textContent = same ? "✓ The replay equals the log." : `✗ The replay differs: ${difference}.`;
      this.check.classList.add(same ? "good" : "bad");
    } catch (error) {
      if (token !== this.opened) return;
      this.view.show(null);
      this.check.textContent = error.message;
      this.check.classList.add("bad");
    }
    this.on.changed();
  }

  draw(frame, options) {
    if (!this.view) return;
    this.view.draw(frame, options);
    const text = this.view.caption(frame);
    if (this.caption.textContent !== text) this.caption.textContent = text;
  }
}

// The attempts at a task, of which the server sends some at a time.
async function allAttempts(api, query) {
  const all = [];
  let answer;
  do {
    answer = await getJson(`${api}/attempts?${query}&first=${all.length}`);
    all.push(...answer.attempts);
  } while (all.length < answer.count && answer.attempts.length);
  return { attempts: all, remark: answer.remark };
}

function answersTable(parts) {
  const table = make("table", {}, make("tr", {}, ...["", "given", "right"].map((text) => make("th", { textContent: text, scope: "col" }))));
  for (const { text, given, right, is_right: isRight } of parts) {
    table.append(make("tr", { className: isRight ? "solved" : "unsolved" }, make("td", { textContent: text }),
      make("td", { textContent: `${isRight ? "✓" : "✗"} ${given || "no answer"}` }), make("td", { textContent: right || (isRight ? given : "?") })));
  }
  return table;
}
