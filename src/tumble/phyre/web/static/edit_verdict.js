// What is known about a task under construction: is it valid, is it trivial, and which share of random actions solves it.

const WANTED = 2000; // valid actions
const MORE = 10000;
const SIGNS = { good: "✓", warning: "!", error: "✗", wait: "…" };

export class Verdict {
  // `more(first, goal)` goes on searching, `mark(bodies)` shows bodies on the canvas.
  constructor($, { more, mark }) {
    this.$ = $;
    this.mark = mark;
    $("more").addEventListener("click", () => more(this.next, this.valid + MORE));
    this.forget();
  }

  forget() {
    this.counts = { not_solved: 0, invalid: 0, unstable: 0, stable: 0 };
    this.next = 0;
    this.goal = WANTED;
    this.solution = null;
    this.isStable = false;
  }

  get valid() { return this.counts.not_solved + this.counts.unstable + this.counts.stable; }

  row(level, text, bodies = []) {
    const item = document.createElement("li");
    item.className = level;
    const sign = Object.assign(document.createElement("b"), { textContent: SIGNS[level] });
    sign.setAttribute("aria-hidden", "true");
    item.append(sign, ` ${text[0].toUpperCase()}${text.slice(1)}.`);
    if (bodies.length) {
      item.addEventListener("pointerenter", () => this.mark(bodies));
      item.addEventListener("pointerleave", () => this.mark(this.marked));
    }
    return item;
  }

  list(...rows) { this.$("findings").replaceChildren(...rows); }

  // The task has changed.
  restart(isComplete) {
    this.forget();
    this.marked = [];
    if (!isComplete) this.list(this.row("error", "the goal has no two bodies yet"));
    this.showSearch("");
  }

  refuse(message) {
    this.list(this.row("error", `not a valid task: ${message}`));
    this.showSearch("");
  }

  show({ findings, moving }, nameOf) {
    const isFine = !findings.some(({ level }) => level === "error");
    const rows = findings.map(({ level, text, bodies }) => this.row(level, text, bodies));
    if (isFine) rows.unshift(this.row("good", findings.length ? "a valid task, but look at this" : "a valid task"));
    if (moving.length) rows.push(this.row("wait", `without an action ${moving.slice(0, 4).map(nameOf).join(", ")}${moving.length > 4 ? " and others" : ""} will move`));
    this.list(...rows);
    this.marked = [...new Set(findings.filter(({ level }) => level !== "good").flatMap(({ bodies }) => bodies))];
    this.mark(this.marked);
  }

  begin(goal = WANTED) {
    this.goal = goal;
    this.showSearch("Trying random actions …");
  }

  // The outcomes of some more actions; says whether more are wanted.
  add({ counts, next, solution, stable, trivial_share: share }) {
    for (const [name, count] of Object.entries(counts)) this.counts[name] += count;
    this.next = next;
    this.share = share;
    if (solution && (!this.solution || (stable && !this.isStable))) [this.solution, this.isStable] = [solution, stable];
    const done = this.valid >= this.goal || (next >= 2 * this.goal && this.valid === 0) || next >= 20 * this.goal;
    this.showSearch(this.words(done), done);
    return !done;
  }

  fail(message) { this.showSearch(message); }

  words(done) {
    const { stable, unstable, invalid } = this.counts;
    const solving = stable + unstable;
    const all = this.valid + invalid;
    if (!this.valid) return done ? "Not solvable: there is no room for a ball." : "Trying random actions …";
    const tried = `${solving} of ${this.valid.toLocaleString("en")} valid random actions solve it (${(100 * solving / this.valid).toFixed(solving && solving < 20 ? 2 : 1)} %)`;
    if (stable >= this.share * all && all >= 50) return `Solvable, but trivial: ${tried}.`;
    if (stable) return `Solvable: ${tried}.`;
    if (unstable) return `Solvable, but not stably yet: ${tried}, none of them if shifted by half a pixel.`;
    return done ? `No solution was found: ${tried}.` : `${tried[0].toUpperCase()}${tried.slice(1)} so far.`;
  }

  showSearch(text, done = false) {
    const { $ } = this;
    $("progress").max = this.goal;
    $("progress").value = Math.min(this.goal, this.valid);
    $("found").textContent = text || "\u00a0";
    $("found").className = text.startsWith("Solvable:") ? "good" : text.startsWith("Solvable") || text.startsWith("No") ? "warning" : "";
    $("watch").disabled = !this.solution;
    $("more").disabled = !done;
  }
}
