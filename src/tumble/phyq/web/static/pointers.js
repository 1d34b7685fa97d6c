// Pointers on the canvas as gestures, with places in CSS pixels from its upper left corner: press, drag and release with
// one; zoom with the wheel or with two, told as a factor and a place; pan with two.

export function listen(canvas, { press, drag, release, cancel, zoom, pan }) {
  const places = new Map();
  let last = null; // distance and middle of two pointers
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left - canvas.clientLeft, event.clientY - box.top - canvas.clientTop];
  };
  const pair = () => {
    const [[ax, ay], [bx, by]] = [...places.values()];
    return { apart: Math.max(1, Math.hypot(ax - bx, ay - by)), middle: [(ax + bx) / 2, (ay + by) / 2] };
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    places.set(event.pointerId, place(event));
    if (places.size === 1) press(place(event));
    if (places.size === 2) {
      cancel();
      last = pair();
    }
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!places.has(event.pointerId)) return;
    places.set(event.pointerId, place(event));
    if (places.size === 1 && !last) drag(place(event));
    if (places.size === 2) {
      const now = pair();
      zoom(now.apart / last.apart, now.middle);
      pan(now.middle[0] - last.middle[0], now.middle[1] - last.middle[1]);
      last = now;
    }
  });
  const end = (event, done) => {
    if (!places.delete(event.pointerId) || places.size) return;
    if (!last) done(place(event));
    last = null;
  };
  canvas.addEventListener("pointerup", (event) => end(event, release));
  canvas.addEventListener("pointercancel", (event) => end(event, cancel));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const turned = event.deltaMode === 0 ? event.deltaY : event.deltaY * 30;
    zoom(Math.exp(-Math.max(-200, Math.min(200, turned)) / 400), place(event));
  }, { passive: false });
}
