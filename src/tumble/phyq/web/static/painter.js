// Drawing a level: landscape, slingshot, objects as layers of flat shapes, flights as dots.

const HILLS = [[-14, 7, 2.3], [-2.5, 9.5, 3.1], [10, 7.5, 2.2], [18.5, 6, 3.2]]; // x, half width, height
const EXPLOSIONS = { tnt: 2.5, egg: 2, black: 3 };
const PUFF_FRAMES = 20;

function pathOf(shape) {
  const path = new Path2D();
  if (typeof shape[0] === "number") path.arc(shape[0], shape[1], shape[2], 0, 2 * Math.PI);
  else {
    shape.forEach(([x, y], k) => k ? path.lineTo(x, y) : path.moveTo(x, y));
    path.closePath();
  }
  return path;
}

const layersOf = (layers) => layers.map(([colour, shape]) => [colour, pathOf(shape)]);

export class Painter {
  constructor(camera, level) {
    this.camera = camera;
    this.context = camera.canvas.getContext("2d");
    this.level = level;
    this.styles = level.styles.map(layersOf);
    this.sling = layersOf(level.sling.filter(([colour]) => colour !== "rubber"));
    this.colours = level.colours;
  }

  fill(path, colour) {
    this.context.fillStyle = colour;
    this.context.fill(path);
  }

  background() {
    const { context, camera, level: { rules } } = this;
    const { width, height } = camera.canvas;
    context.setTransform(1, 0, 0, 1, 0, 0);
    const sky = context.createLinearGradient(0, 0, 0, height);
    sky.addColorStop(0, "#92c8f0");
    sky.addColorStop(1, "#eef7fc");
    context.fillStyle = sky;
    context.fillRect(0, 0, width, height);
    camera.apply(context);
    for (const [x, half, up] of HILLS) {
      const path = new Path2D();
      path.ellipse(x, rules.ground, half, up, 0, 0, Math.PI);
      this.fill(path, "#c4dbe2");
    }
  }

  // The ground in front of everything, and the ends of the world.
  ground() {
    const { context, camera, level: { rules } } = this;
    const wide = 400;
    context.fillStyle = "#966f4e";
    context.fillRect(-wide, rules.ground - 100, 2 * wide, 100);
    context.fillStyle = this.colours.grass;
    context.fillRect(-wide, rules.ground - 0.22, 2 * wide, 0.22);
    context.fillStyle = "rgba(40,50,60,.16)";
    context.fillRect(-wide, -60, wide - rules.half_width, 160);
    context.fillRect(rules.half_width, -60, wide - rules.half_width, 160);
    camera.apply(context);
  }

  object(object, [x, y, angle], alpha = 1) {
    const { context, camera } = this;
    camera.apply(context);
    context.translate(x, y);
    context.rotate(angle);
    context.globalAlpha = alpha;
    for (const [colour, path] of this.styles[object.style]) this.fill(path, this.colours[colour]);
    context.globalAlpha = 1;
    camera.apply(context);
  }

  // The slingshot with its band; the bird is at `bird`, or the band hangs loose.
  slingBack() {
    for (const [colour, path] of this.sling) this.fill(path, this.colours[colour]);
  }

  band(bird, radius, back) {
    const { context, level: { rest: [x, y] } } = this;
    const [bx, by] = bird ?? [x, y - 0.1];
    const away = Math.hypot(bx - x, by - y) || 1;
    const grip = bird ? [bx + (bx - x) / away * radius * 0.8, by + (by - y) / away * radius * 0.8] : [bx, by];
    const arm = back ? [x + 0.29, y + 0.05] : [x - 0.27, y + 0.05];
    context.beginPath();
    context.moveTo(...arm);
    context.lineTo(...grip);
    context.lineWidth = 0.09;
    context.lineCap = "round";
    context.strokeStyle = this.colours.rubber;
    context.stroke();
  }

  // Dots of the same size at any scale.
  dots(points, colour, radius = 2.6, edge = "") {
    const { context, camera } = this;
    context.fillStyle = colour;
    for (const [x, y] of points) {
      context.beginPath();
      context.arc(x, y, radius / camera.scale, 0, 2 * Math.PI);
      context.fill();
      if (edge) {
        context.lineWidth = 1 / camera.scale;
        context.strokeStyle = edge;
        context.stroke();
      }
    }
  }

  // Where something died or exploded a moment ago.
  puff(object, [x, y], age) {
    const share = age / PUFF_FRAMES;
    if (share < 0 || share >= 1) return;
    const { context, camera } = this;
    const reach = EXPLOSIONS[object.kind] ?? EXPLOSIONS[object.kind === "bird" ? object.name : ""];
    const radius = reach ? reach * Math.sqrt(share) : 0.25 + 0.4 * share;
    context.globalAlpha = 1 - share;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.lineWidth = (reach ? 5 : 2.5) / camera.scale;
    context.strokeStyle = reach ? "#d5480a" : "#ffffff";
    context.stroke();
    if (reach) {
      context.fillStyle = "rgba(255,190,60,.35)";
      context.fill();
    }
    context.globalAlpha = 1;
  }

  // A text in a box at a place in the world.
  label(text, [x, y]) {
    const { context, camera } = this;
    const [px, py] = camera.toScreen([x, y]);
    context.setTransform(camera.ratio, 0, 0, camera.ratio, 0, 0);
    context.font = "600 14px system-ui, sans-serif";
    const wide = context.measureText(text).width + 12;
    const left = Math.max(4, Math.min(camera.width - wide - 4, px - wide / 2));
    const top = Math.max(4, Math.min(camera.height - 28, py - 34));
    context.fillStyle = "rgba(20,24,30,.82)";
    context.fillRect(left, top, wide, 24);
    context.fillStyle = "#ffffff";
    context.textBaseline = "middle";
    context.fillText(text, left + 6, top + 12.5);
    camera.apply(context);
  }
}
