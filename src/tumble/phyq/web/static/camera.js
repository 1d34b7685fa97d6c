// What part of the world a canvas shows. Places on the screen are CSS pixels from the canvas's upper left corner.

const LARGEST = 12; // times the scale that shows the whole level
const SMALLEST = 0.5;

export class Camera {
  constructor(canvas) {
    this.canvas = canvas;
    this.view = [-17.5, -4, 17.5, 8];
    this.zoom = 1;
    this.moved = false; // by hand; else it follows the size of the canvas
    this.resize();
  }

  // Fits the drawing to the size that the page gives the canvas; says whether it changed.
  resize() {
    this.ratio = window.devicePixelRatio || 1;
    const across = Math.max(1, Math.round(this.canvas.clientWidth * this.ratio));
    const down = Math.max(1, Math.round(this.canvas.clientHeight * this.ratio));
    if (this.canvas.width === across && this.canvas.height === down) return false;
    this.canvas.width = across;
    this.canvas.height = down;
    if (!this.moved) this.fit();
    return true;
  }

  get width() { return Math.max(1, this.canvas.clientWidth); }
  get height() { return Math.max(1, this.canvas.clientHeight); }

  get whole() {
    const [left, bottom, right, top] = this.view;
    return Math.min(this.width / (right - left), this.height / (top - bottom));
  }

  get scale() { return this.whole * this.zoom; } // pixels for each unit

  // The whole level, with the ground at the lower edge.
  fit(view = this.view) {
    this.view = view;
    this.zoom = 1;
    this.moved = false;
    const [left, bottom, right] = view;
    this.left = (left + right) / 2 - this.width / this.scale / 2;
    this.bottom = bottom;
  }

  toScreen([x, y]) {
    return [(x - this.left) * this.scale, this.height - (y - this.bottom) * this.scale];
  }

  toWorld([px, py]) {
    return [this.left + px / this.scale, this.bottom + (this.height - py) / this.scale];
  }

  // Where the first of some places in the world that is seen stands on the screen; the middle if none is.
  firstSeen(places) {
    const isSeen = ([x, y]) => x >= 0 && x <= this.width && y >= 0 && y <= this.height;
    return places.map((place) => this.toScreen(place)).find(isSeen) ?? [this.width / 2, this.height / 2];
  }

  panBy(dx, dy) {
    this.left -= dx / this.scale;
    this.bottom += dy / this.scale;
    this.moved = true;
    this.keepInside();
  }

  // Changes the scale; what is at a place on the screen stays there.
  zoomBy(factor, place) {
    const [x, y] = this.toWorld(place);
    this.zoom = Math.max(SMALLEST, Math.min(LARGEST, this.zoom * factor));
    this.left = x - place[0] / this.scale;
    this.bottom = y - (this.height - place[1]) / this.scale;
    this.moved = true;
    this.keepInside();
  }

  // The middle of the screen stays near the level.
  keepInside() {
    const [left, bottom, right, top] = this.view;
    const across = this.width / this.scale / 2, up = this.height / this.scale / 2;
    this.left = Math.max(left, Math.min(right, this.left + across)) - across;
    this.bottom = Math.max(bottom, Math.min(Math.max(top, 14), this.bottom + up)) - up;
  }

  // Makes a drawing context's units those of the world.
  apply(context) {
    const s = this.scale * this.ratio;
    context.setTransform(s, 0, 0, -s, -this.left * s, this.canvas.height + this.bottom * s);
  }
}
