// Drawing a scene on a canvas: bodies have shapes, a colour index and a pose [x, y, angle]; y points up.

export class Board {
  constructor(canvas, width, height) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.width = width;
    this.height = height;
    this.resize();
  }

  // Fits the drawing to the size that the page gives the canvas; says whether it changed.
  resize() {
    const ratio = window.devicePixelRatio || 1;
    const across = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    const down = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (this.canvas.width === across && this.canvas.height === down) return false;
    this.canvas.width = across;
    this.canvas.height = down;
    return true;
  }

  get scale() {
    return this.canvas.width / this.width;
  }

  // Scene units that a length on the screen has.
  unit(pixels) {
    return pixels * this.width / Math.max(1, this.canvas.clientWidth);
  }

  // The place of a pointer in the scene.
  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [
      (event.clientX - box.left) / box.width * this.width,
      (1 - (event.clientY - box.top) / box.height) * this.height,
    ];
  }

  clear(colour) {
    const { context } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = colour;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    context.setTransform(this.scale, 0, 0, -this.scale, 0, this.canvas.height);
  }

  trace(shapes, [x, y, angle]) {
    const { context } = this;
    const c = Math.cos(angle), s = Math.sin(angle);
    const at = ([px, py]) => [x + px * c - py * s, y + px * s + py * c];
    context.beginPath();
    for (const shape of shapes) {
      if (typeof shape[0] === "number") {
        const [cx, cy] = at(shape);
        context.moveTo(cx + shape[2], cy);
        context.arc(cx, cy, shape[2], 0, 2 * Math.PI);
      } else {
        shape.forEach((vertex, k) => k ? context.lineTo(...at(vertex)) : context.moveTo(...at(vertex)));
        context.closePath();
      }
    }
  }

  body(body, pose, colour) {
    this.trace(body.shapes, pose);
    this.context.fillStyle = colour;
    this.context.fill();
    if (body.kind === "ball" && body.dynamic) this.spoke(body.shapes[0], pose);
  }

  // A line from the centre of a ball, which shows how it turns.
  spoke([, , radius], [x, y, angle]) {
    const { context } = this;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + 0.8 * radius * Math.cos(angle), y + 0.8 * radius * Math.sin(angle));
    context.lineWidth = Math.min(1.2, radius / 8);
    context.strokeStyle = "rgba(0,0,0,.35)";
    context.stroke();
  }

  outline(shapes, pose, colour, width = 1, dash = []) {
    const { context } = this;
    this.trace(shapes, pose);
    context.lineWidth = this.unit(width);
    context.setLineDash(dash.map((length) => this.unit(length)));
    context.strokeStyle = colour;
    context.stroke();
    context.setLineDash([]);
  }

  // A letter on a disc or a square, of the same size at any size of the board, and never outside of it.
  badge(letter, x, y, square = false, share = 0) {
    const { context } = this;
    const half = this.unit(11);
    const bx = Math.max(half, Math.min(this.width - half, x));
    const by = Math.max(half, Math.min(this.height - half, y));
    context.beginPath();
    if (square) context.rect(bx - half, by - half, 2 * half, 2 * half);
    else context.arc(bx, by, half, 0, 2 * Math.PI);
    context.fillStyle = "#ffffff";
    context.fill();
    context.lineWidth = this.unit(2);
    context.strokeStyle = "#000000";
    context.stroke();
    if (share > 0) {
      context.beginPath();
      context.arc(bx, by, half * (square ? 1.5 : 1.25), Math.PI / 2, Math.PI / 2 - 2 * Math.PI * Math.min(1, share), true);
      context.lineWidth = this.unit(4);
      context.strokeStyle = "#14692f";
      context.stroke();
    }
    context.save();
    context.translate(bx, by);
    context.scale(1, -1);
    context.fillStyle = "#000000";
    context.font = `700 ${this.unit(15)}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(letter, 0, this.unit(1));
    context.restore();
  }
}
