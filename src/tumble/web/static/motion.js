// Motion as the server packs it (tumble/web/play.py): float32 poses [kept, bodies, 3] in base64.

export class Motion {
  constructor(packed) {
    const text = atob(packed.poses);
    const bytes = new Uint8Array(text.length);
    for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
    this.numbers = new Float32Array(bytes.buffer); // little-endian, as all browsers are today
    this.frames = packed.frames;
    this.kept = packed.kept;
    this.bodies = packed.bodies;
    this.column = new Map(packed.bodies.map((body, k) => [body, k]));
  }

  // The pose [x, y, angle] of a body at a frame; null for one that does not move.
  pose(frame, body) {
    const column = this.column.get(body);
    if (column === undefined) return null;
    const row = Math.min(Math.max(0, Math.floor(frame)), this.kept - 1);
    const at = 3 * (row * this.bodies.length + column);
    return this.numbers.subarray(at, at + 3);
  }
}
