// The shapes of PHYRE's bodies by kind and size in pixels, as in tumble/phyre/catalogue/template.py; and which kind shapes are.

export const KINDS = {
  ball: { label: "Ball", sizes: { Radius: [2.5, 80] }, start: [12.5], dynamic: true },
  bar: { label: "Bar", sizes: { Length: [6, 400] }, start: [80], dynamic: false },
  box: { label: "Box", sizes: { Width: [3, 256], Height: [3, 256] }, start: [30, 30], dynamic: true },
  jar: { label: "Jar", sizes: { Height: [16, 160] }, start: [60], dynamic: true },
  sticks: { label: "Sticks", sizes: { Size: [16, 200] }, start: [60], dynamic: true },
};
const SIDE = 256;
const CLOSE = 1e-6;

const polygon = (vertices) => ({ type: "polygon", vertices });

function boxShape(width, height) {
  const x = width / 2, y = height / 2;
  return polygon([[x, y], [-x, y], [-x, -y], [x, -y]]);
}

function rotated({ vertices }, angle) {
  const c = Math.cos(angle), s = Math.sin(angle);
  return polygon(vertices.map(([x, y]) => [x * c - y * s, x * s + y * c]));
}

function jar(tall, thickness) {
  const top = tall / 1.2, base = 0.8 * top;
  const thick = thickness * Math.log(tall) / Math.log(0.3 * SIDE);
  const overhang = (top - base) / 2;
  const side = Math.hypot(tall, overhang);
  const sine = tall / side, cosine = overhang / side;
  const rim = tall - thick / 2, foot = -thick / 2;
  const wall = [[-top / 2, rim], [-base / 2, foot], [-base / 2 + thick * sine, thick * cosine + foot], [-top / 2 + thick / sine, rim]];
  const mirrored = [wall[0], ...wall.slice(1).reverse()].map(([x, y]) => [-x, y]);
  return [boxShape(base, thick), polygon(wall), polygon(mirrored)];
}

// The shapes of a kind; `measures` are its sizes, `editor` the constants of the server.
export function shapesOf(kind, [first, second], { thickness, sticks_angle: angle }) {
  switch (kind) {
    case "ball": return [{ type: "circle", radius: first }];
    case "bar": return [boxShape(first, thickness)];
    case "box": return [boxShape(first, second)];
    case "jar": return jar(first, thickness);
    case "sticks": {
      const stick = boxShape(first * 2 / 3, thickness * 2 / 3);
      return [rotated(stick, -angle), rotated(stick, angle)];
    }
    default: throw new Error(`no kind ${kind}`);
  }
}

const numbers = (shapes) => shapes.flatMap((shape) => shape.type === "circle"
  ? [shape.radius, ...(shape.centre ?? [0, 0])] : shape.vertices.flat());

function alike(a, b) {
  const x = numbers(a), y = numbers(b);
  return a.length === b.length && x.length === y.length && x.every((value, k) => Math.abs(value - y[k]) < CLOSE);
}

// Kind and sizes of shapes; kind is "" for shapes that none of the kinds has.
export function kindOf(shapes, editor) {
  const [first] = shapes;
  let guesses = [];
  if (first.type === "circle") guesses = [["ball", [first.radius]]];
  else {
    const [x, y] = first.vertices[0];
    if (shapes.length === 1) guesses = [["bar", [2 * x]], ["box", [2 * x, 2 * y]]];
    if (shapes.length === 2) guesses = [["sticks", [1.5 * Math.hypot(first.vertices[0][0] - first.vertices[1][0], first.vertices[0][1] - first.vertices[1][1])]]];
    if (shapes.length === 3) guesses = [["jar", [1.2 * 2 * x / 0.8]]];
  }
  const found = guesses.find(([kind, sizes]) => alike(shapes, shapesOf(kind, sizes, editor)));
  return found ? { kind: found[0], sizes: found[1] } : { kind: "", sizes: [] };
}

// Any shapes, larger or smaller.
export function scaled(shapes, ratio) {
  return shapes.map((shape) => shape.type === "circle"
    ? { ...shape, radius: shape.radius * ratio, ...(shape.centre && { centre: shape.centre.map((one) => one * ratio) }) }
    : { ...shape, vertices: shape.vertices.map((point) => point.map((one) => one * ratio)) });
}

// Shapes as the canvas draws them.
export function drawn(shapes) {
  return shapes.map((shape) => shape.type === "circle" ? [...(shape.centre ?? [0, 0]), shape.radius] : shape.vertices);
}
