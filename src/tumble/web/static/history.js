// Undo and redo: states as JSON texts. Changes of one kind within a moment, such as an arrow key held down, are one.

const MOST = 300;
const MOMENT = 700; // ms

export class History {
  constructor(state) {
    this.restart(state);
  }

  restart(state) {
    this.past = [];
    this.future = [];
    this.now = JSON.stringify(state);
    this.kind = "";
    this.at = 0;
  }

  // Remembers a state; says whether it differs from the one before.
  add(state, kind = "") {
    const text = JSON.stringify(state);
    if (text === this.now) return false;
    const same = kind && kind === this.kind && performance.now() - this.at < MOMENT;
    if (!same) this.past.push(this.now);
    if (this.past.length > MOST) this.past.shift();
    this.future = [];
    this.now = text;
    this.kind = kind;
    this.at = performance.now();
    return true;
  }

  get canUndo() { return this.past.length > 0; }

  get canRedo() { return this.future.length > 0; }

  // The state before, or null.
  undo() { return this.step(this.past, this.future); }

  redo() { return this.step(this.future, this.past); }

  step(from, to) {
    if (!from.length) return null;
    to.push(this.now);
    this.now = from.pop();
    this.kind = "";
    return JSON.parse(this.now);
  }
}
