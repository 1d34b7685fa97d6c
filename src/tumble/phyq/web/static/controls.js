// Pointers and keys on the page of a level. What they do is given as functions.
import { shotOfPull } from "/phyq/static/flight.js";
import { listen } from "/phyq/static/pointers.js";

const LEAST_PULL = 0.1; // a shorter one by mouse or finger is no shot
const GRIP = 30; // pixels around the bird in which it is taken
const CLICK = 6; // pixels that a click may move
const ARROWS = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, 0.05], ArrowRight: [0, -0.05] };

// Draws the sling, pans and zooms. `bird()` is where the bird on the sling is, or null where none can be taken; `pull` is
// called with a shot or null while the sling is drawn, `letGo` at the end of it, `tap` for a click elsewhere.
export function pointersOn(canvas, camera, { bird, rest, take, pull, letGo, tap, moved }) {
  let pressed = null;
  const pullTo = (place) => {
    const [x, y] = camera.toWorld(place);
    const { point: [rx, ry], rules } = rest();
    const shot = shotOfPull(x - rx, y - ry, rules);
    pull(shot.stretch >= LEAST_PULL ? shot : null);
  };
  listen(canvas, {
    press(place) {
      const at = bird();
      const [x, y] = at ? camera.toScreen(at) : [Infinity, Infinity];
      const pulls = Math.hypot(place[0] - x, place[1] - y) <= Math.max(GRIP, 0.6 * camera.scale);
      if (pulls) take();
      pressed = { from: place, last: place, pulls, moves: false };
    },
    drag(place) {
      if (!pressed) return;
      pressed.moves ||= Math.hypot(place[0] - pressed.from[0], place[1] - pressed.from[1]) > CLICK;
      if (pressed.pulls) pullTo(place);
      else if (pressed.moves) {
        camera.panBy(place[0] - pressed.last[0], place[1] - pressed.last[1]);
        moved();
      }
      pressed.last = place;
    },
    release() {
      const last = pressed;
      pressed = null;
      if (last?.pulls) letGo(last.moves);
      else if (last && !last.moves) tap();
    },
    cancel() {
      if (pressed?.pulls) {
        pull(null);
        letGo(false);
      }
      pressed = null;
    },
    zoom(factor, place) { camera.zoomBy(factor, place); moved(); },
    pan(dx, dy) { camera.panBy(dx, dy); moved(); },
  });
}

// Keys anywhere but in fields; arrows call `aim` with the changes of angle and stretch. Enter shoots from the fields too.
export function keysOn({ keys, aim, shoot, fields }) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target, key } = event;
    const presses = key === "Enter" || key === " ";
    if (fields.includes(target) && key === "Enter" && !event.repeat) shoot();
    if (["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName)) return;
    if (presses && ["BUTTON", "A", "SUMMARY"].includes(target.tagName)) return;
    if (key in ARROWS) {
      const [turn, stretch] = ARROWS[key];
      const share = event.shiftKey ? (turn ? 0.1 : 0.2) : 1;
      aim(turn * share, stretch * share);
    } else if (key.toLowerCase() in keys) {
      if (!(presses && event.repeat)) keys[key.toLowerCase()]();
    } else {
      return;
    }
    event.preventDefault();
  });
}
