// A person's attempts at a level, without the page: what was shot and seen, and what can be done now.
import { EMPTY } from "/static/session.js";
import { Clip } from "/phyq/static/clip.js";

export const OWN = "own"; // in place of a task's id: a level that the person brought
const KEPT_TRIES = 5;
const LEAST_STRETCH = 0.05;

export class Game {
  constructor(level, session) {
    this.level = level;
    this.session = session;
    this.record = this.isOwn ? { ...EMPTY } : session.record(level);
    this.aim = { angle: 40, stretch: 1 };
    this.waiting = false; // for the server
    this.watched = false; // a solution
    this.reset();
    if (level.shown) this.resume(level.begun, level.shown);
  }

  // The level from its start.
  reset() {
    this.shots = []; // of this attempt, as the server gets them
    this.trails = []; // their flights, but not those of the clip
    this.clip = null; // the motion that is shown
    this.seen = 0; // its furthest frame that was shown: shots and taps are made there
    this.aimed = false; // the sling is drawn
  }

  get isOwn() { return this.level.id === OWN; }
  get attemptsLeft() { return this.isOwn ? Infinity : Math.max(0, this.level.attempts - this.record.count); }
  get isSeen() { return this.clip !== null && this.seen >= this.clip.frames - 1; }
  get isOver() { return this.isSeen && (!this.clip.mine || this.clip.answer.status !== "open"); }
  get isWon() { return this.isOver && this.clip.mine && this.clip.answer.status === "won"; }

  // Whether the next level comes next.
  get isDone() { return this.session.studies ? this.isOver && this.clip.answer.over : this.isWon && !this.isOwn; }

  get canAim() {
    if (this.waiting) return false;
    if (!this.clip) return this.attemptsLeft > 0;
    const { mine, answer, frames } = this.clip;
    return mine && answer.status === "open" && this.seen >= Math.min(answer.next_ready, frames - 1);
  }

  get canTap() {
    if (!this.clip?.mine || this.waiting || this.clip.answer.tapped.at(-1) !== null) return false;
    return this.level.birds[this.clip.shot].power !== "" && this.seen >= 1 && this.seen < this.clip.landed(this.clip.shot);
  }

  // The bird that would be shot next, while it is on the sling; else -1.
  get nextBird() { return this.canAim || (this.waiting && this.aimed) ? this.shots.length : -1; }

  // Whether the rule may be told.
  get knowsRule() {
    return this.record.solved || this.watched || (this.attemptsLeft === 0 && (!this.clip || this.isOver));
  }

  pigsAt(frame) { return this.clip ? this.clip.alive(this.level.pigs, frame) : this.level.pigs; }

  birdsUsedAt(frame) {
    if (!this.clip) return 0;
    return this.clip.mine ? this.shots.length : this.clip.shotAt(frame) + 1;
  }

  // Flights of earlier attempts, and those of this one up to a frame.
  flightsAt(frame, withEarlier) {
    const past = withEarlier ? this.record.tries.flatMap((one) => one.trails) : [];
    const own = [...this.trails, ...(this.clip && frame > 0 ? this.clip.flownAt(frame) : [])];
    return [...past.map((points) => ({ points, mine: false })), ...own.map((points) => ({ points, mine: true }))];
  }

  setAim(angle, stretch) {
    const turn = ((angle + 180) % 360 + 360) % 360 - 180;
    const limited = Math.max(LEAST_STRETCH, Math.min(this.level.rules.stretch_limit, stretch));
    this.aim = { angle: Number(turn.toFixed(2)), stretch: Number(limited.toFixed(3)) };
    this.aimed = true;
  }

  seconds(frames) { return Number((frames * this.level.rules.step).toFixed(2)); }

  // The shot that is aimed at, made now: while things move it has a delay.
  nextShot() {
    return this.clip && !this.isSeen ? { ...this.aim, delay: this.seconds(this.seen) } : { ...this.aim };
  }

  // The last shot with a tap now.
  tappedShot() { return { ...this.shots.at(-1), tap_ms: Math.round(1000 * this.seconds(this.seen)) }; }

  // An attempt that was begun before the page was loaded: what is seen is its end so far.
  resume(shots, answer) {
    this.shots = shots;
    this.show(answer, true, answer.motion.frames - 1);
  }

  show(answer, mine, frame = 0) {
    this.clip = new Clip(answer, mine, this.level.first_bird);
    this.seen = frame;
  }

  // Takes a shot and what happened; the first of an attempt counts it.
  addShot(shot, answer) {
    if (this.clip) this.trails.push(...this.clip.trails);
    this.aimed = false;
    this.shots.push(shot);
    if (this.shots.length === 1) this.record.count += 1;
    this.save();
    this.show(answer, true);
  }

  replaceShot(shot, answer) {
    this.shots[this.shots.length - 1] = shot;
    this.show(answer, true, this.seen);
  }

  // Keeps an attempt that is over or given up.
  keepTry() {
    const { status } = this.clip.answer;
    const trails = [...this.trails, ...this.clip.trails];
    this.record.tries = [...this.record.tries, { shots: this.shots, trails, status }].slice(-KEPT_TRIES);
    this.record.solved ||= status === "won";
    this.save();
  }

  forget() {
    this.record = { ...EMPTY };
    this.watched = false;
    this.save();
  }

  save() {
    if (!this.isOwn) this.session.keep(this.level, this.record);
  }
}
