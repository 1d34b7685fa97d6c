// One frame of a level: where everything is, the bird on the sling, the first part of its flight, and earlier flights.
import { firstPart, pullOf } from "/phyq/static/flight.js";

const PREVIEW_SECONDS = 0.9;
const DOT_PIXELS = 12; // between dots
const KINDS = ["platform", "block", "tnt", "pig", "egg", "bird"]; // from back to front

export class LevelView {
  constructor(painter, level) {
    this.painter = painter;
    this.level = level;
    this.order = level.objects.map((_, k) => k)
      .sort((a, b) => KINDS.indexOf(level.objects[a].kind) - KINDS.indexOf(level.objects[b].kind) || a - b);
  }

  // `aim` is the shot of the bird on the sling, or null where it is not drawn; `next` the bird that would be shot, or -1.
  draw({ clip, frame, aim, next, ghosts, showsLabel }) {
    const { painter, level } = this;
    const onSling = next >= 0 ? level.first_bird + next : -1;
    const pulled = aim && onSling >= 0 ? this.pulled(aim) : null;
    painter.background();
    for (const { points, mine } of ghosts) painter.dots(points, mine ? "#ffffff" : "rgba(70,80,95,.5)", mine ? 2.4 : 2, mine ? "rgba(20,30,45,.45)" : "");
    for (const k of this.order.filter((one) => level.objects[one].kind === "platform")) this.object(k, clip, frame);
    painter.slingBack();
    const radius = onSling >= 0 ? level.birds[next].radius : 0;
    const held = onSling >= 0 ? pulled ?? level.rest : null;
    painter.band(held, radius, true);
    for (const k of this.order) {
      if (k === onSling) painter.object(level.objects[k], [...held, 0]);
      else if (level.objects[k].kind !== "platform") this.object(k, clip, frame);
    }
    painter.band(held, radius, false);
    if (clip) this.puffs(clip, frame);
    painter.ground();
    if (!pulled) return;
    const dots = firstPart(aim, PREVIEW_SECONDS, DOT_PIXELS / painter.camera.scale, level.rest, level.rules);
    painter.dots(dots, "#ffffff", 3.2, "rgba(20,30,45,.75)");
    if (showsLabel) painter.label(`${aim.angle.toFixed(1)}°  stretch ${aim.stretch.toFixed(2)}`, [level.rest[0] + 0.3, level.rest[1] + 0.9]);
  }

  pulled(aim) {
    const [dx, dy] = pullOf(aim);
    return [this.level.rest[0] + dx, this.level.rest[1] + dy];
  }

  object(k, clip, frame) {
    const pose = clip ? clip.pose(k, frame) : this.level.objects[k].pose;
    if (pose) this.painter.object(this.level.objects[k], pose);
  }

  puffs(clip, frame) {
    for (const [k, at] of clip.answer.died) {
      if (at < 0 || at > frame) continue;
      const place = clip.pose(k, at) ?? clip.pose(k, at - 1) ?? (at > 1 ? clip.pose(k, at - 2) : null);
      if (place && Math.abs(place[0]) < this.level.rules.half_width) this.painter.puff(this.level.objects[k], place, frame - at);
    }
  }
}
