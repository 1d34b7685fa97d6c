// What an editor draws over a scene: the handles of the chosen item, and items that something is said about.
// The units of the context are those of the world, with y up; `unit` is a pixel's length.
import { HANDLE, boxOf, handlesOf, toWorld } from "/static/handles.js";

const CHOSEN = "#1556c0";
const MARK = "#b3261e";

function outline(context, shapes, pose, colour, width, dash) {
  context.beginPath();
  for (const shape of shapes) {
    if (typeof shape[0] === "number") {
      const [x, y] = toWorld(pose, shape);
      context.moveTo(x + shape[2], y);
      context.arc(x, y, shape[2], 0, 2 * Math.PI);
    } else {
      shape.forEach((point, k) => k ? context.lineTo(...toWorld(pose, point)) : context.moveTo(...toWorld(pose, point)));
      context.closePath();
    }
  }
  context.lineWidth = width;
  context.setLineDash(dash);
  context.strokeStyle = colour;
  context.stroke();
  context.setLineDash([]);
}

export function drawHandles(context, item, unit) {
  const { shapes, pose, canTurn = true, canSize = true } = item;
  const [left, bottom, right, top] = boxOf(shapes);
  const pad = 6 * unit;
  const frame = [[left - pad, bottom - pad], [right + pad, bottom - pad], [right + pad, top + pad], [left - pad, top + pad]];
  outline(context, [frame], pose, CHOSEN, 1.5 * unit, [5 * unit, 4 * unit]);
  const { turn, size } = handlesOf(item, unit);
  context.lineWidth = 1.5 * unit;
  context.strokeStyle = CHOSEN;
  if (canTurn) {
    context.beginPath();
    context.moveTo(...toWorld(pose, [(left + right) / 2, top + pad]));
    context.lineTo(...turn);
    context.stroke();
  }
  for (const [[x, y], round, drawn] of [[turn, true, canTurn], [size, false, canSize]]) {
    if (!drawn) continue;
    const half = HANDLE * unit;
    context.beginPath();
    if (round) context.arc(x, y, half, 0, 2 * Math.PI);
    else context.rect(x - half, y - half, 2 * half, 2 * half);
    context.fillStyle = "#ffffff";
    context.fill();
    context.lineWidth = 2.5 * unit;
    context.stroke();
  }
}

export function drawMarks(context, items, unit) {
  for (const { shapes, pose } of items) outline(context, shapes, pose, MARK, 2.5 * unit, [6 * unit, 4 * unit]);
}
