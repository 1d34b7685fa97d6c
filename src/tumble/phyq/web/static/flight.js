// The law of flight until the first contact, as in tumble/phyq/catalogue/trajectory.py: the same arithmetic in doubles.

const RADIANS = Math.PI / 180;
const ANGLE_DECIMALS = 2, STRETCH_DECIMALS = 3; // as precise as stored solutions
const rounded = (value, decimals) => Number(value.toFixed(decimals));

// From the rest point to where the bird is drawn to.
export function pullOf({ angle, stretch }) {
  const turn = angle * RADIANS;
  return [-stretch * Math.cos(turn), -stretch * Math.sin(turn)];
}

// The shot of a bird that is drawn by (dx, dy) from its rest point; longer pulls are cut to the limit.
export function shotOfPull(dx, dy, rules) {
  const angle = rounded(Math.atan2(-dy, -dx) / RADIANS, ANGLE_DECIMALS) + 0;
  return { angle, stretch: Math.min(rounded(Math.hypot(dx, dy), STRETCH_DECIMALS), rules.stretch_limit) };
}

// The position of the bird some seconds after the release.
export function positionAt(shot, seconds, rest, rules) {
  const [px, py] = pullOf(shot);
  const vx = -rules.launch_speed * px, vy = -rules.launch_speed * py;
  return [rest[0] + px + vx * seconds, rest[1] + py + vy * seconds - rules.fall * seconds * (seconds + rules.step) / 2];
}

// Points along the first part of a flight, for dots that are about `spacing` units apart at full stretch.
export function firstPart(shot, seconds, spacing, rest, rules) {
  const points = [];
  const every = Math.max(3, Math.ceil(spacing / (rules.launch_speed * rules.step)));
  for (let step = every + 1; step * rules.step <= seconds; step += every) {
    const point = positionAt(shot, step * rules.step, rest, rules);
    if (point[1] < rules.ground) break;
    points.push(point);
  }
  return points;
}
