// Items of a scene under the pointer: which is hit, where its handles are, and what a drag does to it.
// An item has shapes (circles [x, y, radius] and polygons [[x, y], …], about its origin) and a pose [x, y, angle].

export const HANDLE = 9; // half the size of a handle on the screen
const REACH = 20; // pixels around the middle of a handle that belong to it: a finger is wide
const SLACK = 6; // pixels around an item that belong to it
const ARM = 26; // pixels from an item to the handle that turns it

export function toLocal([x, y, angle], [px, py]) {
  const c = Math.cos(angle), s = Math.sin(angle);
  return [(px - x) * c + (py - y) * s, (py - y) * c - (px - x) * s];
}

export function toWorld([x, y, angle], [px, py]) {
  const c = Math.cos(angle), s = Math.sin(angle);
  return [x + px * c - py * s, y + px * s + py * c];
}

// Left, bottom, right and top of shapes at a pose.
export function boxOf(shapes, pose = [0, 0, 0]) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const shape of shapes) {
    const round = typeof shape[0] === "number";
    const radius = round ? shape[2] : 0;
    for (const point of round ? [shape] : shape) {
      const [x, y] = toWorld(pose, point);
      box[0] = Math.min(box[0], x - radius);
      box[1] = Math.min(box[1], y - radius);
      box[2] = Math.max(box[2], x + radius);
      box[3] = Math.max(box[3], y + radius);
    }
  }
  return box;
}

// How far a point is from a shape; 0 inside.
function distance(shape, [x, y]) {
  if (typeof shape[0] === "number") return Math.max(0, Math.hypot(x - shape[0], y - shape[1]) - shape[2]);
  let inside = true, best = Infinity;
  let [ax, ay] = shape[shape.length - 1];
  for (const [bx, by] of shape) {
    const ex = bx - ax, ey = by - ay, px = x - ax, py = y - ay;
    if (ex * py - ey * px < 0) inside = false;
    const t = Math.min(Math.max((px * ex + py * ey) / (ex * ex + ey * ey || 1), 0), 1);
    best = Math.min(best, Math.hypot(px - t * ex, py - t * ey));
    [ax, ay] = [bx, by];
  }
  return inside ? 0 : best;
}

// The item at a place: the nearest, the last one where several are hit; -1 for none. `unit` is a pixel's length.
export function itemAt(items, place, unit) {
  let best = -1, least = SLACK * unit;
  items.forEach(({ shapes, pose }, k) => {
    const local = toLocal(pose, place);
    const far = Math.min(...shapes.map((shape) => distance(shape, local)));
    if (far <= least) [best, least] = [k, far];
  });
  return best;
}

// Places of the handles of an item: one that turns it, above, and one that sizes it, at a corner.
export function handlesOf({ shapes, pose }, unit) {
  const [left, bottom, right, top] = boxOf(shapes);
  const pad = 6 * unit;
  return { turn: toWorld(pose, [(left + right) / 2, top + ARM * unit]), size: toWorld(pose, [right + pad, bottom - pad]) };
}

// What a drag with one pointer does. `change` has choose(k), move(k, x, y), turn(k, angle), and size(k, ratio across,
// ratio up, start) where `start` is the item as it was when the drag began.
export class Dragging {
  constructor(change) {
    this.change = change;
    this.what = "";
  }

  // Says whether something is held.
  press(items, chosen, place, unit) {
    this.what = "";
    const item = items[chosen];
    if (item) {
      const handles = handlesOf(item, unit);
      const [left, bottom, right, top] = boxOf(item.shapes);
      const [mx, my] = toWorld(item.pose, [(left + right) / 2, (bottom + top) / 2]);
      const toMiddle = Math.hypot(mx - place[0], my - place[1]); // a press nearer to it moves the item, however small
      const near = Object.entries(handles)
        .map(([name, [x, y]]) => [Math.hypot(x - place[0], y - place[1]), name])
        .filter(([far, name]) => far < Math.min(REACH * unit, toMiddle) && (name !== "size" || item.canSize !== false) && (name !== "turn" || item.canTurn !== false))
        .sort((a, b) => a[0] - b[0])[0];
      if (near) this.what = near[1];
    }
    const hit = this.what ? chosen : itemAt(items, place, unit);
    this.change.choose(hit);
    if (hit < 0) return false;
    this.index = hit;
    this.start = { ...items[hit], shapes: structuredClone(items[hit].shapes), pose: [...items[hit].pose] };
    this.from = place;
    this.what ||= "move";
    return true;
  }

  drag([x, y]) {
    if (!this.what) return;
    const { index, start, from, change } = this;
    const [sx, sy, angle] = start.pose;
    if (this.what === "move") change.move(index, sx + x - from[0], sy + y - from[1]);
    else if (this.what === "turn") {
      change.turn(index, angle + Math.atan2(y - sy, x - sx) - Math.atan2(from[1] - sy, from[0] - sx));
    } else {
      const [ax, ay] = toLocal(start.pose, from), [bx, by] = toLocal(start.pose, [x, y]);
      change.size(index, Math.max(0.02, bx / ax), Math.max(0.02, by / ay), start);
    }
  }

  release() {
    const held = Boolean(this.what);
    this.what = "";
    return held;
  }
}

// How far a box moves along one axis so that an edge meets an edge of others, or else its middle a grid.
function snapAxis(low, high, edges, reach, grid) {
  let best = reach, move = null;
  for (const edge of edges) {
    for (const own of [low, high]) {
      if (Math.abs(edge - own) < best) [best, move] = [Math.abs(edge - own), edge - own];
    }
  }
  const middle = (low + high) / 2;
  return move ?? Math.round(middle / grid) * grid - middle;
}

// The change of place that snaps a box to the edges of other boxes, or to a grid.
export function snapped([left, bottom, right, top], others, reach, grid) {
  return [
    snapAxis(left, right, others.flatMap(([l, , r]) => [l, r]), reach, grid),
    snapAxis(bottom, top, others.flatMap(([, b, , t]) => [b, t]), reach, grid),
  ];
}
