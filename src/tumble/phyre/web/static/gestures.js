// Pointers on the board as gestures: press, drag, release with one; pinch with two, told as the ratio of their distance
// to that at the start; wheel.

const WHEEL_STEP = 30;

export function listen(canvas, { press, drag, release, pinch, wheel }) {
  const pointers = new Map();
  let apart = 0;
  let turned = 0;
  const distance = () => {
    const [a, b] = [...pointers.values()];
    return Math.max(1, Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY));
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, event);
    if (pointers.size === 1) press(event);
    if (pointers.size === 2) apart = distance();
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!pointers.has(event.pointerId)) return;
    pointers.set(event.pointerId, event);
    if (pointers.size === 1) drag(event);
    if (pointers.size === 2) pinch(distance() / apart);
  });
  const end = (event) => {
    if (!pointers.delete(event.pointerId)) return;
    if (pointers.size === 0) release();
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    turned += event.deltaMode === 0 ? event.deltaY : event.deltaY * WHEEL_STEP;
    const steps = Math.trunc(turned / WHEEL_STEP);
    turned -= steps * WHEEL_STEP;
    if (steps) wheel(-Math.sign(steps) * Math.min(4, Math.abs(steps)));
  }, { passive: false });
}
