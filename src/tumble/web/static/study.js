// A study on the page of a task: tasks in their order, and attempts that are numbered, so that each counts once.
import { getJson, postJson } from "/static/api.js";
import { EMPTY } from "/static/session.js";

const LONGEST_WAIT = 8000; // milliseconds between two tries to reach the server
const BUSY = [429, 503];
const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });
const touches = ({ type, key, target }) => type === "keydown" ? key !== "Tab" : target.closest("#canvas, .controls") !== null;
const never = () => new Promise(() => {});

export class Study {
  studies = true;

  constructor(numbers, reload) {
    this.numbers = numbers;
    this.reload = reload;
    this.say = document.querySelector("#status");
    this.begin = performance.now(); // when the person could begin with this part
    this.touched = null;
    this.told = ""; // the part for which that was told
    for (const kind of ["pointerdown", "keydown", "wheel"]) {
      document.addEventListener(kind, (event) => { if (touches(event)) this.touched ??= performance.now(); }, { capture: true, passive: true });
    }
    this.addGiveUp();
  }

  // The current task; goes to the page of the study where there is none.
  async load() {
    this.step = await this.retry(() => getJson("/study/api/step"));
    const { kind, position, positions, practice, title, task } = this.step;
    if (kind !== "practice" && kind !== "task") {
      location.replace("/study/");
      return never();
    }
    const which = kind === "practice" ? `Practice ${position + 1} of ${practice}, does not count` : `Task ${position - practice + 1} of ${positions - practice}`;
    this.ghosts = this.step.ghosts;
    document.querySelector("#ghosts").hidden = !this.ghosts;
    this.last = null;
    this.giveUp.disabled = false;
    return { ...task, name: `${which} · ${title}`, attempts: this.step.attempts, begun: this.step.begun, shown: this.step.shown };
  }

  record() {
    const { attempt, begun, solved } = this.step;
    return { ...EMPTY, count: attempt - 1 + (begun.length ? 1 : 0), solved };
  }

  keep() {} // the server does

  async attempt(request) {
    const now = performance.now();
    const { position, attempt, part } = this.step;
    const times = { touched_ms: (this.touched ?? now) - this.begin, released_ms: now - this.begin };
    this.last = { position, attempt, part };
    return this.send("/study/api/attempts", { ...this.last, action: this.numbers(request), ...times });
  }

  change(request) {
    return this.send("/study/api/amendments", { ...this.last, action: this.numbers(request) });
  }

  // The answer, with whether the task is over.
  async send(path, move) {
    const answer = await this.ask(path, move);
    this.step = { ...this.step, ...answer.step };
    const over = answer.step.position !== move.position;
    this.giveUp.disabled = over;
    return { ...answer, over };
  }

  // Tells when the person could begin, once for each part.
  ready() {
    const { position, attempt, part } = this.step;
    const place = [position, attempt, part].join();
    if (this.told === place) return;
    this.told = place;
    this.begin = performance.now();
    this.touched = null;
    if (part === 1) this.ask("/study/api/seen", { position, attempt }).catch((error) => { this.say.textContent = error.message; });
  }

  addGiveUp() {
    this.giveUp = Object.assign(document.createElement("button"), { id: "give-up", textContent: "Give up this task" });
    document.querySelector(".attempts").append(this.giveUp);
    this.giveUp.addEventListener("click", async () => {
      if (!window.confirm("Give up this task and continue with the next? The attempts that are left are lost.")) return;
      try {
        await this.ask("/study/api/give-up", { position: this.step.position });
        await this.reload();
      } catch (error) {
        this.say.textContent = error.message;
      }
    });
  }

  // Sends a request as this page's participant. Where another tab has gone on, the page shows where the participant is.
  async ask(path, body) {
    try {
      return await this.retry(() => postJson(path, { participant: this.step.participant, ...body }));
    } catch (error) {
      if (error.status !== 409 && error.status !== 404) throw error;
      this.say.textContent = "Loading where you are …";
      location.reload();
      return never();
    }
  }

  // Tries again until the server answers: what is sent twice counts once.
  async retry(request) {
    for (let wait = 500; ; wait = Math.min(LONGEST_WAIT, 2 * wait)) {
      try {
        return await request();
      } catch (error) {
        if (error.status && !BUSY.includes(error.status)) throw error;
        this.say.textContent = "No connection. Trying again …";
        await pause(wait);
      }
    }
  }
}
