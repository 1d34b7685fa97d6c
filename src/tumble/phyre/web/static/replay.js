// An attempt of a run log on a canvas of the pages for watching.
import { Motion } from "/static/motion.js";
import { Board } from "/static/scene.js";
import { showGoal } from "/phyre/static/goal.js";
import { TaskPainter } from "/phyre/static/painter.js";

export const framesPerSecond = 60;

export class Replay {
  constructor(canvas, scene) {
    this.scene = scene;
    this.board = new Board(canvas, scene.width, scene.height);
    this.painter = new TaskPainter(this.board, scene);
    this.clip = null;
  }

  get ratio() { return this.scene.width / this.scene.height; }
  get frames() { return this.clip?.motion ? this.clip.motion.frames : 1; }
  resize() { return this.board.resize(); }

  show(clip) {
    this.clip = clip && { ...clip, motion: clip.motion ? new Motion(clip.motion) : null };
  }

  draw(frame, { palette, letters }) {
    const { clip } = this;
    if (!clip) this.painter.draw({ palette, letters });
    else if (clip.motion) this.painter.draw({ palette, letters, clip, frame: Math.min(frame, this.frames - 1) });
    else {
      const balls = clip.balls.map(([x, y, radius]) => ({ x, y, radius }));
      this.painter.draw({ palette, letters, placed: { balls, chosen: -1, wrong: balls.map(() => clip.problem ?? true) } });
    }
  }

  // The action in words, or why it is invalid.
  caption() {
    if (!this.clip) return "";
    if (this.clip.problem) return `Not a valid place: ${this.clip.problem}.`;
    return this.clip.balls.map(([x, y, radius]) => `ball at ${x}, ${y}, radius ${radius}`).join("; ");
  }

  explain(element, { palette, letters }) { showGoal(element, this.scene, palette, letters); }
}
