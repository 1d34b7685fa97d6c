// The balls that are placed at a task: where they are, which one is chosen, and what is wrong with their places.
import { MAX_RADIUS, MIN_RADIUS, obstaclesOf, problems } from "/phyre/static/placement.js";

const FIRST_RADIUS = 12;
const FREE_STEP = 8; // pixels between the places that are tried for a ball placed by keys
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

export class PlacedBalls {
  constructor(task) {
    this.task = task;
    this.obstacles = obstaclesOf(task.bodies);
    this.clear();
  }

  clear() {
    this.all = []; // { x, y, radius } in whole pixels
    this.chosen = 0;
  }

  get ball() {
    return this.all[this.chosen];
  }

  get radius() {
    return this.ball?.radius ?? FIRST_RADIUS;
  }

  get complete() {
    return this.all.length === this.task.balls;
  }

  // What is wrong with the place of each, or nothing.
  problems(balls = this.all) {
    return problems(balls, this.obstacles, this.task.width, this.task.height);
  }

  // The index of the ball at a place, or -1; `slack` is how far beside it a finger may be.
  at([x, y], slack) {
    const gaps = this.all.map((ball, k) => [Math.hypot(ball.x - x, ball.y - y) - ball.radius, k]);
    const near = gaps.filter(([gap]) => gap <= slack).sort((a, b) => a[0] - b[0]);
    return near.length ? near[0][1] : -1;
  }

  choose(index) {
    this.chosen = clamp(index, 0, Math.min(this.all.length, this.task.balls - 1));
  }

  add(x, y) {
    this.all.push({ x: 0, y: 0, radius: this.all.at(-1)?.radius ?? FIRST_RADIUS });
    this.chosen = this.all.length - 1;
    this.moveTo(x, y);
  }

  moveTo(x, y) {
    this.ball.x = clamp(Math.round(x), 0, this.task.width - 1);
    this.ball.y = clamp(Math.round(y), 0, this.task.height - 1);
  }

  resizeBy(change) {
    this.ball.radius = clamp(this.ball.radius + change, MIN_RADIUS, MAX_RADIUS);
  }

  remove() {
    this.all.splice(this.chosen, 1);
    this.chosen = Math.max(0, this.all.length - 1);
  }

  copy() {
    return this.all.map((ball) => ({ ...ball }));
  }

  // A first place for a ball that is placed by keys: the middle, or the free place nearest to it.
  freePlace() {
    const { width, height } = this.task;
    const radius = this.all.at(-1)?.radius ?? FIRST_RADIUS;
    let best = [width / 2, height / 2];
    let least = Infinity;
    for (let x = radius; x < width - radius; x += FREE_STEP) {
      for (let y = radius; y < height - radius; y += FREE_STEP) {
        const far = Math.hypot(x - width / 2, y - height / 2);
        if (far < least && !this.problems([...this.all, { x, y, radius }]).at(-1)) [best, least] = [[x, y], far];
      }
    }
    return best;
  }
}
