// The videos of a set, which play together: target, references, and after an answer another world beside the target.
import { Timeline } from "/static/timeline.js";
import { Clip, Loader } from "/comphy/static/clip.js";
import { Panel, Track } from "/comphy/static/panel.js";

const $ = (name) => document.querySelector(`#${name}`);
const PAUSE = 900; // milliseconds at the end before it plays again
const REFERENCES = ["0", "1", "2", "3"];

export class Stage {
  constructor(failed) {
    this.failed = failed;
    this.panels = new Map([...document.querySelectorAll("#stage figure")].map((one) => [one.dataset.video, new Panel(one)]));
    this.timeline = new Timeline(25, (frame, atEnd) => this.show(frame, atEnd));
    this.over = { bodies: [], tracks: false, marked: [] };
    this.control = null;
    this.loader = new Loader();
    const watch = new ResizeObserver(() => this.resize());
    for (const panel of this.panels.values()) {
      watch.observe(panel.canvas);
      panel.figure.querySelector("button").addEventListener("click", () => panel.isBig ? this.playOrPause() : this.enlarge(panel.name));
    }
    $("pause").addEventListener("click", () => this.playOrPause());
    $("scrub").addEventListener("input", () => this.seek(Number($("scrub").value)));
    $("speed").addEventListener("change", () => { this.timeline.speed = Number($("speed").value); });
    $("tracks").addEventListener("click", () => this.toggleTracks());
  }

  get frame() {
    return Math.floor(this.timeline.frame);
  }

  // Shows a set from its start, as soon as there are pictures; `progress` is called with the share of them.
  async open(set, progress) {
    this.control?.abort();
    this.control = new AbortController();
    const { signal } = this.control;
    clearTimeout(this.again);
    this.timeline.stop();
    for (const panel of this.panels.values()) panel.clip?.release();
    this.set = set;
    this.over = { ...this.over, bodies: [], marked: [] };
    this.closeWorld();
    this.enlarge("target");
    for (const { name, frames } of set.videos) {
      const panel = this.panels.get(name);
      panel.clip = new Clip(`/comphy/videos/${set.id}/${name}/`, frames, set.sheet);
      panel.track = null;
      panel.context.clearRect(0, 0, panel.canvas.width, panel.canvas.height);
    }
    this.shown = set.videos[0].frames;
    $("pause").disabled = $("scrub").disabled = true;
    $("tracks").disabled = true;
    this.setLength(this.shown);
    const clips = set.videos.map(({ name }) => this.panels.get(name).clip);
    const jobs = [];
    for (let number = 0; number < clips[0].sheets; number++) {
      for (const clip of clips) if (number < clip.sheets) jobs.push([clip, number, set.sheet.draft]);
    }
    await this.load(jobs, signal, progress);
    if (signal.aborted) return;
    $("pause").disabled = $("scrub").disabled = false;
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.timeline.play();
    this.sharpen(clips[0]);
  }

  async load(jobs, signal, progress = () => {}, isUrgent = true) {
    try {
      await this.loader.load(jobs, signal, (share) => {
        if (signal.aborted) return;
        progress(share);
        if (!this.timeline.playing) this.draw();
      }, isUrgent);
    } catch (error) {
      if (signal.aborted) return;
      this.failed(error instanceof TypeError ? "No connection to the server. Reload the page to try again." : error.message);
    }
  }

  // Loads the pictures of a set that may be seen next, so that the browser has them.
  prepare(set) {
    const clips = set.videos.map(({ name, frames }) => new Clip(`/comphy/videos/${set.id}/${name}/`, frames, set.sheet));
    const jobs = clips.flatMap((clip) => Array.from({ length: clip.sheets }, (_, number) => [clip, number, set.sheet.draft]));
    this.load(jobs, this.control.signal, () => {}, false);
  }

  // Loads larger pictures of a clip that is seen large.
  sharpen(clip) {
    if (clip.sharp) return;
    clip.sharp = true;
    const numbers = Array.from({ length: clip.sheets }, (_, number) => number);
    this.load(numbers.map((number) => [clip, number, this.set.sheet.sharp]), this.control.signal, () => {}, false);
  }

  setTracks({ bodies, ...tracks }) {
    this.over.bodies = bodies;
    for (const [name, track] of Object.entries(tracks)) this.panels.get(name).track = new Track(track);
    $("tracks").disabled = false;
    this.draw();
  }

  // Another world beside the target: how it continues, or what would have happened. `from` is the frame to play from.
  async openWorld(world, from) {
    const panel = this.panels.get("world"), target = this.panels.get("target");
    this.closeWorld();
    this.enlarge("target");
    const { signal } = this.control;
    const clip = new Clip(world.sheets, world.frames, this.set.sheet, { first: world.first, before: world.first ? target.clip : null });
    panel.clip = clip;
    panel.track = new Track(world.track, world.first, world.first ? target.track : null);
    panel.caption.textContent = world.title;
    panel.figure.querySelector("button").setAttribute("aria-label", `${world.title}: play or pause`);
    panel.figure.hidden = false;
    $("stage").classList.add("compare");
    this.setLength(Math.max(this.shown, world.first + world.frames));
    this.timeline.pause();
    this.timeline.seek(from);
    this.resize();
    const jobs = Array.from({ length: clip.sheets }, (_, number) => [clip, number, this.set.sheet.draft]);
    await this.load(jobs, signal);
    if (signal.aborted || panel.clip !== clip) return;
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.timeline.play();
    this.sharpen(clip);
  }

  closeWorld() {
    const panel = this.panels.get("world");
    if (panel.figure.hidden) return;
    panel.clip?.release();
    panel.clip = panel.track = null;
    panel.figure.hidden = true;
    panel.context.clearRect(0, 0, panel.canvas.width, panel.canvas.height);
    $("stage").classList.remove("compare");
    this.setLength(this.shown);
  }

  setLength(frames) {
    this.timeline.frames = frames;
    this.timeline.frame = Math.min(this.timeline.frame, frames - 1);
    $("scrub").max = frames - 1;
    this.showTime(this.frame);
  }

  enlarge(name) {
    for (const panel of this.panels.values()) {
      const { figure } = panel;
      if (panel.name === "world") continue;
      figure.classList.toggle("big", panel.name === name);
      const title = panel.caption.textContent;
      figure.querySelector("button").setAttribute("aria-label", panel.name === name ? `${title}: play or pause` : `Enlarge ${title.toLowerCase()}`);
    }
    if (name !== "target" && !this.panels.get("world").figure.hidden) this.closeWorld();
    this.resize();
    const { clip } = this.panels.get(name);
    if (clip && name !== "target") this.sharpen(clip);
  }

  enlargeNext() {
    const names = ["target", ...REFERENCES];
    const now = names.findIndex((name) => this.panels.get(name).isBig);
    this.enlarge(names[(now + 1) % names.length]);
  }

  // Marks bodies, and shows the frame of an event.
  point(bodies, frame) {
    this.over.marked = bodies;
    if (frame === undefined) this.draw();
    else this.seek(Math.min(frame, this.timeline.frames - 1));
  }

  toggleTracks() {
    if ($("tracks").disabled) return;
    this.over.tracks = !this.over.tracks;
    $("tracks").setAttribute("aria-pressed", String(this.over.tracks));
    this.draw();
  }

  resize() {
    for (const panel of this.panels.values()) if (panel.resize()) panel.draw(this.frame, this.over.bodies.length ? this.over : null);
  }

  draw() {
    for (const panel of this.panels.values()) panel.draw(this.frame, this.over.bodies.length ? this.over : null);
  }

  show(frame, atEnd) {
    this.showTime(frame);
    this.draw();
    $("pause").textContent = this.timeline.playing ? "❚❚" : "▶";
    clearTimeout(this.again);
    if (atEnd && this.plays) this.again = setTimeout(() => this.timeline.play(), PAUSE);
    this.plays = this.timeline.playing;
  }

  showTime(frame) {
    $("scrub").value = frame;
    $("time").textContent = `${(frame / 25).toFixed(2)} s`;
    for (const panel of this.panels.values()) {
      const frames = panel.clip?.frames ?? Infinity;
      panel.figure.classList.toggle("over", frame >= frames + (panel.clip?.first ?? 0));
    }
  }

  playOrPause() {
    clearTimeout(this.again);
    if ($("pause").disabled) return;
    if (this.timeline.playing) {
      this.timeline.pause();
      return;
    }
    this.over.marked = [];
    this.timeline.play();
  }

  seek(frame) {
    clearTimeout(this.again);
    this.timeline.playing = this.plays = false;
    this.timeline.seek(frame);
  }

  step(change) {
    if (!$("scrub").disabled) this.seek(this.frame + change);
  }

  restart() {
    if ($("pause").disabled) return;
    this.seek(0);
    this.timeline.play();
  }

  nextSpeed() {
    $("speed").selectedIndex = ($("speed").selectedIndex + 1) % $("speed").options.length;
    this.timeline.speed = Number($("speed").value);
  }
}
