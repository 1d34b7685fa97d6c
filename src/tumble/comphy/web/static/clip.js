// Frames of a video, on sheets of a second each. Small sheets come first; larger ones replace them.

const TRIES = 20;
const WAIT = 1000; // milliseconds, when the server is busy

async function loadImage(address, signal) {
  for (let tries = 0; ; tries++) {
    const answer = await fetch(address, { signal });
    if (answer.ok) {
      const source = URL.createObjectURL(await answer.blob());
      const image = new Image();
      image.src = source;
      await image.decode();
      return image;
    }
    if (![429, 503].includes(answer.status) || tries >= TRIES) throw new Error(`A video can't be loaded (status ${answer.status}).`);
    await new Promise((done) => { setTimeout(done, WAIT); });
  }
}

export class Clip {
  // `first` is the frame of the timeline that the clip begins at; before that `before` is shown, a clip too.
  constructor(address, frames, sheet, { first = 0, before = null } = {}) {
    this.address = address;
    this.frames = frames;
    this.sheet = sheet;
    this.first = first;
    this.before = before;
    this.images = new Map();
    this.released = false;
  }

  get sheets() {
    return Math.ceil(this.frames / this.sheet.frames);
  }

  async load(number, width, signal) {
    const image = await loadImage(`${this.address}${width}/${number}.webp`, signal);
    if (this.released) return;
    const had = this.images.get(number);
    if (had && had.width >= width) return;
    if (had) URL.revokeObjectURL(had.image.src);
    this.images.set(number, { image, width, height: width * 2 / 3 });
  }

  release() {
    for (const { image } of this.images.values()) URL.revokeObjectURL(image.src);
    this.images.clear();
    this.released = true;
  }

  // Draws a frame of the timeline on all of a canvas; says whether it is there yet.
  draw(context, frame) {
    if (frame < this.first && this.before) return this.before.draw(context, frame);
    const own = Math.max(0, Math.min(this.frames - 1, frame - this.first));
    const found = this.images.get(Math.floor(own / this.sheet.frames));
    if (!found) return false;
    const cell = own % this.sheet.frames;
    const { image, width, height } = found;
    const x = cell % this.sheet.across * width, y = Math.floor(cell / this.sheet.across) * height;
    context.imageSmoothingQuality = "high";
    context.drawImage(image, x, y, width, height, 0, 0, context.canvas.width, context.canvas.height);
    return true;
  }
}

// Loads sheets, a few at a time: those that are urgent first, the others two at a time when no urgent ones wait.
export class Loader {
  constructor(together = 4) {
    this.together = together;
    this.running = 0;
    this.urgent = [];
    this.later = [];
  }

  // Loads sheets [clip, number, width] in order; `loaded` is called after each with the share that is there.
  load(jobs, signal, loaded, isUrgent) {
    let done = 0;
    const list = isUrgent ? this.urgent : this.later;
    return Promise.all(jobs.map(([clip, number, width]) => new Promise((resolve, reject) => {
      list.push(async () => {
        if (signal.aborted || clip.released) return resolve();
        try {
          await clip.load(number, width, signal);
          loaded(++done / jobs.length);
          return resolve();
        } catch (error) {
          return reject(error);
        }
      });
      this.pump();
    })));
  }

  async pump() {
    const limit = this.urgent.length ? this.together : 2;
    if (this.running >= limit) return;
    const job = this.urgent.shift() ?? this.later.shift();
    if (!job) return;
    this.running += 1;
    await job();
    this.running -= 1;
    this.pump();
    this.pump();
  }
}
