// The motion of one or more shots, from a release on, as the server packs it (tumble/phyq/web/attempts.py).
import { Motion } from "/static/motion.js";

function floats(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

const TRAIL_FRAMES = 4; // between two points of a trail

export class Clip {
  constructor(answer, mine, firstBird) {
    this.answer = answer;
    this.mine = mine; // a person's, not a stored solution
    this.told = false; // its outcome
    this.invited = false; // to shoot the next bird
    this.motion = new Motion(answer.motion);
    this.start = floats(answer.start);
    this.frames = answer.motion.frames;
    this.shot = answer.shots_used - 1; // the last
    this.trails = answer.released.slice(answer.from_shot)
      .map((_, k) => this.trail(firstBird + answer.from_shot + k, answer.from_shot + k));
  }

  // The pose [x, y, angle] of an object at a frame, also between two; null where it is not there.
  pose(object, frame) {
    const now = this.motion.pose(frame, object) ?? this.start.subarray(3 * object, 3 * object + 3);
    if (Number.isNaN(now[0])) return null;
    const share = frame - Math.floor(frame);
    const next = share > 0 ? this.motion.pose(frame + 1, object) : null;
    if (!next || Number.isNaN(next[0]) || Math.hypot(next[0] - now[0], next[1] - now[1]) > 1) return now;
    return [0, 1, 2].map((k) => now[k] + share * (next[k] - now[k]));
  }

  // The last shot that has been released at a frame.
  shotAt(frame) {
    return this.answer.released.findLastIndex((at) => at !== null && at <= frame);
  }

  landed(shot) {
    return this.answer.landed[shot] ?? this.frames - 1;
  }

  alive(objects, frame) {
    return objects - this.answer.died.filter(([object, at]) => object < objects && at <= frame).length;
  }

  // Points of a bird's flight from its release to where it landed.
  trail(object, shot) {
    const points = [];
    for (let frame = Math.max(0, this.answer.released[shot]); frame <= this.landed(shot); frame += TRAIL_FRAMES) {
      const pose = this.pose(object, frame);
      if (pose) points.push([Number(pose[0].toFixed(2)), Number(pose[1].toFixed(2))]);
    }
    return points;
  }

  // The parts of its trails that have been flown at a frame.
  flownAt(frame) {
    return this.trails.map((points, k) => {
      const since = frame - Math.max(0, this.answer.released[k + this.answer.from_shot]);
      return points.slice(0, Math.max(0, Math.floor(since / TRAIL_FRAMES)));
    });
  }
}
