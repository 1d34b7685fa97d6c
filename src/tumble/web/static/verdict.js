// What is known about a task under construction: findings, and how many random attempts solve it. A benchmark extends it
// with what it counts and its words.

const MORE = 10000;
const SIGNS = { good: "✓", warning: "!", error: "✗", wait: "…" };
const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;

export class Verdict {
  // `wanted` attempts are made at first; `more(first, goal)` makes more, `mark(bodies)` shows bodies on the canvas.
  constructor($, { wanted, more, mark }) {
    this.$ = $;
    this.wanted = wanted;
    this.mark = mark;
    this.marked = [];
    $("more").addEventListener("click", () => more(this.next, this.tried + MORE));
    this.forget();
  }

  forget() {
    this.counts = {};
    this.next = 0;
    this.goal = this.wanted;
    this.solution = null;
    this.isStable = false;
  }

  count(name) { return this.counts[name] ?? 0; }

  row(level, text, bodies = []) {
    const item = document.createElement("li");
    item.className = level;
    const sign = Object.assign(document.createElement("b"), { textContent: SIGNS[level] });
    sign.setAttribute("aria-hidden", "true");
    item.append(sign, ` ${sentence(text)}`);
    if (bodies.length) {
      item.addEventListener("pointerenter", () => this.mark(bodies));
      item.addEventListener("pointerleave", () => this.mark(this.marked));
    }
    return item;
  }

  list(...rows) { this.$("findings").replaceChildren(...rows); }

  // The task has changed; `missing` says what it lacks to be one.
  restart(missing = "") {
    this.forget();
    this.marked = [];
    if (missing) this.list(this.row("error", missing));
    this.showSearch("");
  }

  refuse(message) {
    this.list(this.row("error", `not valid: ${message}`));
    this.showSearch("");
  }

  // Findings of the server, and rows of the benchmark's own.
  show(noun, findings, rows = []) {
    const isFine = !findings.some(({ level }) => level === "error");
    const shown = findings.map(({ level, text, bodies }) => this.row(level, text, bodies));
    if (isFine) shown.unshift(this.row("good", findings.length ? `a valid ${noun}, but look at this` : `a valid ${noun}`));
    this.list(...shown, ...rows);
    this.marked = [...new Set(findings.flatMap(({ bodies }) => bodies))];
    this.mark(this.marked);
  }

  begin(goal = this.wanted) {
    this.goal = goal;
    this.showSearch("Trying at random …");
  }

  // The outcomes of some more attempts; says whether more are wanted.
  add({ counts, next, solution, stable = true, trivial_share: share }) {
    for (const [name, count] of Object.entries(counts)) this.counts[name] = this.count(name) + count;
    this.next = next;
    this.share = share;
    if (solution && (!this.solution || (stable && !this.isStable))) [this.solution, this.isStable] = [solution, stable];
    const done = this.tried >= this.goal || (next >= 2 * this.goal && this.tried === 0) || next >= 20 * this.goal;
    this.showSearch(this.words(done), done);
    return !done;
  }

  fail(message) { this.showSearch(message); }

  showSearch(text, done = false) {
    const { $ } = this;
    $("progress").max = this.goal;
    $("progress").value = Math.min(this.goal, this.tried);
    $("found").textContent = text || "\u00a0";
    $("found").className = text.startsWith("Solvable:") ? "good" : text.startsWith("Solvable") || text.startsWith("No") ? "warning" : "";
    $("watch").disabled = !this.solution;
    $("more").disabled = !done;
  }
}

// A share of attempts in words, as in: 28 of 2,210 (1.3 %).
export function shareOf(part, whole) {
  const digits = part && part < 20 ? 2 : 1;
  return `${part.toLocaleString("en")} of ${whole.toLocaleString("en")}|(${(100 * part / whole).toFixed(digits)} %)`.split("|");
}
