// An attempt of a run log on a canvas of the pages for watching.
import { Camera } from "/phyq/static/camera.js";
import { Clip } from "/phyq/static/clip.js";
import { coloursOf } from "/phyq/static/colours.js";
import { Painter } from "/phyq/static/painter.js";
import { listen } from "/phyq/static/pointers.js";
import { LevelView } from "/phyq/static/view.js";

export const framesPerSecond = 50;
const many = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

function shotWords({ angle, stretch, tap_ms: tap, tap_share: share, delay }) {
  const parts = [`${angle.toFixed(1)}°`, `stretch ${stretch.toFixed(2)}`];
  if (tap !== null) parts.push(`tap after ${(tap / 1000).toFixed(2)} s`);
  if (share !== null) parts.push(`tap at ${Math.round(100 * share)} % of the flight`);
  if (delay !== null) parts.push(`${delay.toFixed(1)} s after the one before`);
  return parts.join(", ");
}

export class Replay {
  constructor(canvas, scene, redraw) {
    this.scene = scene;
    this.camera = new Camera(canvas);
    this.camera.fit(scene.view);
    this.view = new LevelView(new Painter(this.camera, scene), scene);
    this.clip = null;
    this.shots = [];
    let last = null;
    listen(canvas, {
      press: (place) => { last = place; },
      drag: (place) => {
        if (!last) return;
        this.camera.panBy(place[0] - last[0], place[1] - last[1]);
        last = place;
        redraw();
      },
      release: () => { last = null; },
      cancel: () => { last = null; },
      zoom: (factor, place) => { this.camera.zoomBy(factor, place); redraw(); },
      pan: (dx, dy) => { this.camera.panBy(dx, dy); redraw(); },
    });
  }

  get ratio() { return 16 / 9; }
  get frames() { return this.clip?.frames ?? 1; }
  resize() { return this.camera.resize(); }

  show(answer) {
    this.shots = answer?.shots ?? [];
    this.clip = answer?.motion ? new Clip(answer, false, this.scene.first_bird) : null;
  }

  draw(frame, { palette }) {
    const { clip, view } = this;
    const at = Math.min(frame, this.frames - 1);
    view.painter.colours = coloursOf(this.scene.colours, palette);
    const ghosts = clip && at > 0 ? clip.flownAt(at).map((points) => ({ points, mine: true })) : [];
    view.draw({ clip, frame: at, aim: null, next: clip ? -1 : 0, ghosts, showsLabel: false });
  }

  // Pigs left, and the last shot that was made.
  caption(frame) {
    const { clip, scene, shots } = this;
    if (!clip) return "No shot was made.";
    const at = Math.min(frame, this.frames - 1);
    const shot = Math.max(0, clip.shotAt(at));
    const which = shots.length > 1 ? `shot ${shot + 1} of ${shots.length}: ` : "";
    return `${many(clip.alive(scene.pigs, at), "pig")} left · ${which}${shotWords(shots[shot])}`;
  }
}
