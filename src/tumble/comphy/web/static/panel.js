// A video on the page: its frames on a canvas, with tracks of bodies over it.

// Places of bodies in the pictures of a video, as the server packs them: float32 [frame, member, 2], NaN out of view.
export class Track {
  constructor({ members, frames, places }, first = 0, before = null) {
    const bytes = Uint8Array.from(atob(places), (letter) => letter.charCodeAt(0));
    this.numbers = new Float32Array(bytes.buffer);
    this.members = members;
    this.first = first;
    this.before = before;
    this.last = first + frames - 1;
  }

  place(frame, body) {
    if (frame < this.first) return this.before?.place(frame, body) ?? null;
    const column = this.members.indexOf(body);
    const at = 2 * ((Math.min(frame, this.last) - this.first) * this.members.length + column);
    return column < 0 || Number.isNaN(this.numbers[at]) ? null : [this.numbers[at], this.numbers[at + 1]];
  }
}

export class Panel {
  constructor(figure) {
    this.figure = figure;
    this.canvas = figure.querySelector("canvas");
    this.caption = figure.querySelector("figcaption");
    this.context = this.canvas.getContext("2d");
    this.clip = null;
    this.track = null;
  }

  get name() {
    return this.figure.dataset.video;
  }

  get isBig() {
    return this.figure.classList.contains("big");
  }

  // Fits the drawing to the size that the page gives the canvas; says whether it changed.
  resize() {
    const width = Math.max(1, Math.round(this.canvas.clientWidth * (window.devicePixelRatio || 1)));
    if (this.canvas.width === width) return false;
    this.canvas.width = width;
    this.canvas.height = Math.round(width * 2 / 3);
    return true;
  }

  // `over`: null, or the bodies of the set, whether tracks are drawn, and which bodies are marked.
  draw(frame, over) {
    if (!this.clip?.draw(this.context, frame) || !over || !this.track) return;
    const unit = this.canvas.width / 480 * (this.isBig ? 1 : 2);
    this.track.members.forEach((body) => {
      const marked = over.marked.includes(body);
      if (over.tracks) this.path(frame, body, over.bodies[body].color, unit);
      if (marked) this.mark(this.track.place(frame, body), over.bodies[body].name, unit);
    });
  }

  // Where a body was, and in thin lines where it will be in this video.
  path(frame, body, colour, unit) {
    for (const [from, to, width, alpha] of [[frame, this.track.last, 1, 0.55], [0, Math.min(frame, this.track.last), 2.2, 1]]) {
      const { context, canvas } = this;
      context.beginPath();
      let drawing = false;
      for (let at = from; at <= to; at++) {
        const place = this.track.place(at, body);
        if (place) context[drawing ? "lineTo" : "moveTo"](place[0] * canvas.width, place[1] * canvas.height);
        drawing = Boolean(place);
      }
      context.lineJoin = context.lineCap = "round";
      context.globalAlpha = alpha;
      context.strokeStyle = "#ffffff";
      context.lineWidth = (width + 1.6) * unit;
      context.stroke();
      context.strokeStyle = colour;
      context.lineWidth = width * unit;
      context.stroke();
      context.globalAlpha = 1;
    }
    const now = this.track.place(Math.min(frame, this.track.last), body);
    if (now) this.dot(now, colour, unit);
  }

  dot([x, y], colour, unit) {
    const { context, canvas } = this;
    context.beginPath();
    context.arc(x * canvas.width, y * canvas.height, 4 * unit, 0, 2 * Math.PI);
    context.fillStyle = colour;
    context.fill();
    context.strokeStyle = "#ffffff";
    context.lineWidth = 1.5 * unit;
    context.stroke();
  }

  // A ring around a body, with its name.
  mark(place, name, unit) {
    if (!place) return;
    const { context, canvas } = this;
    const x = place[0] * canvas.width, y = place[1] * canvas.height, radius = 30 * unit;
    for (const [colour, width] of [["#000000", 4.5], ["#ffffff", 2.5]]) {
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.strokeStyle = colour;
      context.lineWidth = width * unit;
      context.stroke();
    }
    if (!this.isBig) return;
    context.font = `600 ${13 * unit}px system-ui, sans-serif`;
    context.textAlign = "center";
    const half = context.measureText(name).width / 2 + 3 * unit;
    const at = Math.max(half, Math.min(canvas.width - half, x));
    const below = y - radius < 24 * unit;
    const line = below ? y + radius + 16 * unit : y - radius - 6 * unit;
    context.lineJoin = "round";
    context.strokeStyle = "#000000";
    context.lineWidth = 4 * unit;
    context.strokeText(name, at, line);
    context.fillStyle = "#ffffff";
    context.fillText(name, at, line);
  }
}
