// One frame of a task: bodies, the balls as placed or in motion, earlier attempts as ghosts, letters on the goal's bodies.
import { PALETTES } from "/static/palette.js";

const PROBLEM = "#b3261e";

export class TaskPainter {
  constructor(board, task) {
    this.board = board;
    this.task = task;
  }

  // `clip` is what is watched, { motion, balls, solved, steps }, or null; `before` the clip whose motion is its ghost.
  // `placed` are { balls, chosen, wrong } where nothing is watched, `tries` the earlier attempts, whose balls are ghosts.
  draw({ palette, letters, clip = null, frame = 0, before = null, placed = null, tries = [] }) {
    const { board, task } = this;
    const { colours } = PALETTES[palette];
    const poseOf = (k) => (clip && clip.motion.pose(frame, k)) || task.bodies[k].pose;
    board.clear(colours[0]);
    task.bodies.forEach((body, k) => board.body(body, poseOf(k), colours[body.colour]));
    if (palette !== "standard") {
      for (const k of [task.goal.A, task.goal.B].filter((one) => task.bodies[one])) board.outline(task.bodies[k].shapes, poseOf(k), "#000", 1.5);
    }
    if (before) this.motionGhost(before, frame);
    if (placed) this.placeGhosts(tries, placed.balls);
    if (clip) this.moving(clip, frame, colours[1]);
    if (placed) this.placed(placed, colours[1]);
    if (letters) this.badges(poseOf, clip?.solved ? (frame - (clip.steps - task.hold)) / task.hold : 0);
  }

  moving({ balls, motion }, frame, colour) {
    balls.forEach(([x, y, radius], k) => {
      const body = { shapes: [[0, 0, radius]], kind: "ball", dynamic: true };
      this.board.body(body, motion.pose(frame, this.task.bodies.length + k) ?? [x, y, 0], colour);
    });
  }

  placed({ balls, chosen, wrong }, colour) {
    const { board, task } = this;
    balls.forEach(({ x, y, radius }, k) => {
      const shape = [[0, 0, radius]];
      board.context.globalAlpha = wrong[k] ? 0.45 : 1;
      board.body({ shapes: shape, kind: "ball", dynamic: false }, [x, y, 0], colour);
      board.context.globalAlpha = 1;
      if (k === chosen && balls.length > 1) board.outline([[0, 0, radius + board.unit(3)]], [x, y, 0], "#1556c0", 2);
      if (wrong[k]) this.cross(x, y, radius);
      if (task.balls > 1) board.badge(`${k + 1}`, x, y);
    });
  }

  cross(x, y, radius) {
    const { context } = this.board;
    const half = 0.7 * radius;
    this.board.outline([[0, 0, radius]], [x, y, 0], PROBLEM, 3, [6, 4]);
    context.beginPath();
    context.moveTo(x - half, y - half);
    context.lineTo(x + half, y + half);
    context.moveTo(x - half, y + half);
    context.lineTo(x + half, y - half);
    context.lineWidth = this.board.unit(3);
    context.strokeStyle = PROBLEM;
    context.stroke();
  }

  motionGhost({ balls, motion }, frame) {
    const { board, task } = this;
    for (const index of motion.bodies) {
      const k = index - task.bodies.length;
      const shapes = k < 0 ? task.bodies[index].shapes : [[0, 0, balls[k][2]]];
      board.outline(shapes, motion.pose(frame, index), "rgba(60,60,70,.55)", 1.2, [4, 3]);
    }
  }

  // The balls of earlier attempts, but not where one stands now.
  placeGhosts(tries, balls) {
    const hidden = ([x, y, radius]) => balls.some((ball) => ball.x === x && ball.y === y && ball.radius === radius);
    for (const { balls: places, solved } of tries) {
      const colour = solved ? "#14692f" : "rgba(90,90,100,.6)";
      for (const [x, y, radius] of places.filter((place) => !hidden(place))) {
        this.board.outline([[0, 0, radius]], [x, y, 0], colour, 1.2, [3, 4]);
      }
    }
  }

  // Letters on the goal's bodies, with a ring for the share of the time that the goal has held.
  badges(poseOf, held) {
    const { goal } = this.task;
    for (const [letter, index] of [["B", goal.B], ["A", goal.A]]) {
      if (!this.task.bodies[index]) continue; // in the editor a goal may be unfinished
      const [x, y] = poseOf(index);
      this.board.badge(letter, x, y, letter === "B", letter === "A" ? held : 0);
    }
  }
}
