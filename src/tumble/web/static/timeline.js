// Playing a motion at the speed of the simulation, slower, or by hand.

export class Timeline {
  constructor(framesPerSecond, show) {
    this.framesPerSecond = framesPerSecond;
    this.show = show; // called with the frame, and whether it is the last
    this.frames = 0;
    this.frame = 0;
    this.speed = 1;
    this.playing = false;
    this.tick = this.tick.bind(this);
  }

  start(frames) {
    this.frames = frames;
    this.seek(0);
    this.play();
  }

  stop() {
    this.playing = false;
    this.frames = 0;
  }

  play() {
    if (!this.frames) return;
    if (this.frame >= this.frames - 1) this.frame = 0;
    this.last = null;
    if (!this.playing) {
      this.playing = true;
      requestAnimationFrame(this.tick);
    }
  }

  pause() {
    this.playing = false;
    this.show(Math.floor(this.frame), this.frame >= this.frames - 1);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  seek(frame) {
    this.frame = Math.max(0, Math.min(this.frames - 1, frame));
    this.show(Math.floor(this.frame), this.frame >= this.frames - 1);
  }

  tick(now) {
    if (!this.playing) return;
    if (this.last !== null) {
      const seconds = Math.min(0.1, (now - this.last) / 1000);
      this.frame = Math.min(this.frames - 1, this.frame + seconds * this.framesPerSecond * this.speed);
    }
    this.last = now;
    const atEnd = this.frame >= this.frames - 1;
    if (atEnd) this.playing = false;
    this.show(Math.floor(this.frame), atEnd);
    if (!atEnd) requestAnimationFrame(this.tick);
  }
}
