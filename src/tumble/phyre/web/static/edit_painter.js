// What the editor draws over a task: the handles of the chosen body, and bodies that something is said about.
import { HANDLE, boxOf, handlesOf, toWorld } from "/static/handles.js";

const CHOSEN = "#1556c0";
const MARK = "#b3261e";

export function drawHandles(board, body) {
  const { context } = board;
  const unit = board.unit(1);
  const [left, bottom, right, top] = boxOf(body.shapes);
  const pad = 6 * unit;
  const frame = [[left - pad, bottom - pad], [right + pad, bottom - pad], [right + pad, top + pad], [left - pad, top + pad]];
  board.outline([frame], body.pose, CHOSEN, 1.5, [5, 4]);
  const { turn, size } = handlesOf(body, unit);
  const middle = toWorld(body.pose, [(left + right) / 2, top + pad]);
  context.beginPath();
  context.moveTo(...middle);
  context.lineTo(...turn);
  context.lineWidth = 1.5 * unit;
  context.strokeStyle = CHOSEN;
  context.stroke();
  for (const [[x, y], round] of [[turn, true], [size, false]]) {
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

export function drawMarks(board, bodies, marked) {
  for (const index of marked) if (bodies[index]) board.outline(bodies[index].shapes, bodies[index].pose, MARK, 2.5, [6, 4]);
}
