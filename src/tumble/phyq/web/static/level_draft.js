// A level under construction. It is the record that a level file holds, so that what is drawn, checked, played and saved
// is the same. A piece is named by its list and its place in it, as in "blocks:3".

const FIELDS = ["pigs", "blocks", "tnts", "platforms"]; // in the order of the server
const DEEPEST = 35; // as in tumble/phyq/catalogue/level.py
const LARGEST_SCALE = 40;
const round = (value, digits = 4) => Number(value.toFixed(digits));
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

export class LevelDraft {
  constructor(level, editor) {
    this.level = level;
    this.editor = editor;
  }

  // A level to begin with: complete, and at rest.
  static first(editor) {
    const ground = editor.rules.ground;
    const draft = new LevelDraft({ version: 1, birds: ["red"], pigs: [] }, editor);
    const stand = (field, values, x, y) => { // gives the height at which the next one stands
      const id = draft.add(field, values, [x, 0]);
      draft.move(id, x, y - draft.lowest(id));
      return y - 2 * draft.lowest(id);
    };
    const roof = stand("blocks", { shape: "square_hole", material: "wood" }, 4, ground);
    stand("blocks", { shape: "square_hole", material: "wood" }, 4, roof);
    stand("pigs", { size: "small" }, 6, ground);
    return draft;
  }

  // A draft of a file's text; an Error in words where it is none. The server reads it too, and decides.
  static ofText(text, editor) {
    let level;
    try {
      level = JSON.parse(text);
    } catch {
      throw new Error("this is no JSON");
    }
    const isList = (value) => value === undefined || Array.isArray(value);
    if (!Array.isArray(level?.birds) || !FIELDS.every((field) => isList(level[field]))) throw new Error("this is no level");
    const draft = new LevelDraft(level, editor);
    for (const id of draft.ids()) if (!draft.design(id)) throw new Error(`${id} is no piece of the game`);
    return draft;
  }

  list(field) { return this.level[field] ?? (this.level[field] = []); }

  ids() { return FIELDS.flatMap((field) => (this.level[field] ?? []).map((_, k) => `${field}:${k}`)); }

  piece(id) {
    const [field, k] = (id ?? "").split(":");
    return this.level[field]?.[k];
  }

  // How pieces of this kind are drawn.
  design(id) {
    const piece = this.piece(id);
    return this.editor.pieces[id.split(":")[0]]
      .find(({ values }) => Object.entries(values).every(([name, value]) => piece[name] === value));
  }

  outline(id) {
    const { scale_x: across = 1, scale_y: up = 1 } = this.piece(id);
    return this.design(id).outline.map(([x, y]) => [x * across, y * up]);
  }

  pose(id) {
    const { x, y, rotation = 0 } = this.piece(id);
    return [x, y, rotation * Math.PI / 180];
  }

  items() {
    return this.ids().map((id) => ({ id, shapes: [this.outline(id)], pose: this.pose(id), canSize: id.startsWith("platforms") }));
  }

  // How far the lowest point of a piece is from its origin.
  lowest(id) {
    const turn = this.pose(id)[2];
    return Math.min(...this.outline(id).map(([x, y]) => x * Math.sin(turn) + y * Math.cos(turn)));
  }

  name(id) {
    const { size, shape, material } = this.piece(id);
    if (size) return `${size} pig`;
    if (shape) return `${material} ${shape.replaceAll("_", " ")}`;
    return id.startsWith("tnts") ? "TNT" : "platform";
  }

  add(field, values, [x, y], rotation = 0) {
    this.list(field).push({ ...values, x: round(x), y: round(y), ...(rotation && { rotation }) });
    return `${field}:${this.list(field).length - 1}`;
  }

  duplicate(id) {
    const [field] = id.split(":");
    const piece = structuredClone(this.piece(id));
    this.list(field).push({ ...piece, x: round(piece.x + 0.6), y: round(piece.y + 0.3) });
    return `${field}:${this.list(field).length - 1}`;
  }

  remove(id) {
    const [field, k] = id.split(":");
    this.list(field).splice(Number(k), 1);
  }

  move(id, x, y) {
    const { half_width: half, ground } = this.editor.rules;
    const piece = this.piece(id);
    const free = id.startsWith("platforms");
    piece.x = round(clamp(x, free ? -2 * half : -half, free ? 2 * half : half));
    piece.y = round(clamp(y, free ? -DEEPEST : ground, this.editor.highest));
  }

  turn(id, degrees) {
    this.piece(id).rotation = round(degrees - 360 * Math.round(degrees / 360), 3);
  }

  scale(id, across, up) {
    const piece = this.piece(id);
    piece.scale_x = round(clamp(across, 0.1, LARGEST_SCALE), 3);
    piece.scale_y = round(clamp(up, 0.1, LARGEST_SCALE), 3);
  }

  // Makes a piece another of its list, as stone of wood.
  change(id, values) { Object.assign(this.piece(id), values); }

  // Puts all pieces where they come to rest.
  settle(poses) {
    this.ids().forEach((id, k) => {
      const [x, y, rotation] = poses[k];
      Object.assign(this.piece(id), { x, y });
      this.turn(id, rotation);
    });
  }

  // Left, bottom, right and top of what should be seen.
  get view() {
    const { view: [left, bottom, right], rules } = this.editor;
    const points = this.items().flatMap(({ pose: [x, y] }) => [[x, y]]);
    const far = Math.max(7, ...points.map(([x]) => x)), near = Math.min(-12.5, ...points.map(([x]) => x));
    const high = Math.max(rules.ground + 8, ...points.map(([, y]) => y + 2));
    return [Math.max(left, near - 2), bottom, Math.min(right, far + 3), high];
  }

  get missing() {
    if (!this.level.birds.length) return "a level needs a bird";
    return this.level.pigs?.length ? "" : "a level needs a pig";
  }

  get count() { return this.ids().length; }

  // The text of a file that all commands read: one piece on each line.
  fileText() {
    const parts = ["\"version\": 1", `"birds": ${JSON.stringify(this.level.birds)}`];
    if (this.level.slingshot) parts.push(`"slingshot": ${JSON.stringify(this.level.slingshot)}`);
    for (const field of ["pigs", "blocks", "platforms", "tnts"]) {
      const lines = (this.level[field] ?? []).map((piece) => `  ${JSON.stringify(piece)}`);
      if (lines.length) parts.push(`"${field}": [\n${lines.join(",\n")}\n]`);
    }
    return `{${parts.join(",\n")}}\n`;
  }
}
