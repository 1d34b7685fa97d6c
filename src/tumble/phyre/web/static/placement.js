// Where balls may be placed, as in tumble/phyre/simulation: the same arithmetic in doubles, so that what is shown while
// dragging is what the server says. The server decides.

export const MIN_RADIUS = 2;
export const MAX_RADIUS = 32;
const TOLERANCE = 1e-5;
const MIN_GAP = 1;

// The bodies of a task with their points where they start.
export function obstaclesOf(bodies) {
  return bodies.map(({ name, shapes, pose: [x, y, angle] }) => {
    const c = Math.cos(angle), s = Math.sin(angle);
    const at = ([px, py]) => [x + px * c - py * s, y + px * s + py * c];
    return {
      name,
      circles: shapes.filter((shape) => typeof shape[0] === "number").map((shape) => [...at(shape), shape[2]]),
      polygons: shapes.filter((shape) => typeof shape[0] !== "number").map((shape) => shape.map(at)),
    };
  });
}

function nearPolygon(points, x, y, reach) {
  let inside = true;
  let [ax, ay] = points[points.length - 1];
  for (const [bx, by] of points) {
    const ex = bx - ax, ey = by - ay, px = x - ax, py = y - ay;
    if (ex * py - ey * px <= 0) inside = false;
    const t = Math.min(Math.max((px * ex + py * ey) / (ex * ex + ey * ey), 0), 1);
    const dx = px - t * ex, dy = py - t * ey;
    if (dx * dx + dy * dy < reach * reach) return true;
    [ax, ay] = [bx, by];
  }
  return inside;
}

function overlaps(body, { x, y, radius }) {
  const reach = radius - TOLERANCE;
  return body.circles.some(([cx, cy, r]) => (x - cx) ** 2 + (y - cy) ** 2 < (reach + r) ** 2)
    || body.polygons.some((points) => nearPolygon(points, x, y, reach));
}

// Why each ball can't stay where it is, as a text; empty for those that can.
export function problems(balls, obstacles, width, height) {
  return balls.map((ball, index) => {
    const { x, y, radius } = ball;
    if (x < radius || y < radius || x > width - 1 - radius || y > height - 1 - radius) return "leaves the scene";
    const other = balls.find((one, k) => k !== index && Math.hypot(one.x - x, one.y - y) < one.radius + radius + MIN_GAP);
    if (other) return "is too close to the other ball";
    const hit = obstacles.find((body) => overlaps(body, ball));
    return hit ? `overlaps ${hit.name}` : "";
  });
}

// The numbers from 0 to 1 that place balls there. The server cuts positions to whole pixels: half a pixel more is safe
// from rounding.
export function actionOf(balls) {
  return balls.flatMap(({ x, y, radius }) => [(x + 0.5) / 255, (y + 0.5) / 255, (radius - MIN_RADIUS) / (MAX_RADIUS - MIN_RADIUS)]);
}
