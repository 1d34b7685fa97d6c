// A task under construction. It is the record that a task file holds, so that what is drawn, checked, played and saved is
// the same; only the goal's bodies may be missing (null), and are indices.
import { KINDS, drawn, kindOf, scaled, shapesOf } from "/phyre/static/shapes.js";

export const SIDE = 256;
const round = (value, digits = 3) => Number(value.toFixed(digits));
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

export class Draft {
  constructor(task, editor) {
    this.editor = editor;
    this.task = task;
  }

  // A task to begin with: it is complete, and not solved yet.
  static first(editor) {
    const draft = new Draft({
      id: "mine:000",
      tier: "B",
      goal: { body: null, other: null },
      scene: { version: 1, units_per_metre: editor.units_per_metre, bodies: structuredClone(editor.walls) },
    }, editor);
    const shelf = draft.add("bar", [70, 120], { name: "shelf" });
    draft.resize(shelf, [110]);
    const ball = draft.add("ball", [90, 120 + editor.thickness / 2 + KINDS.ball.start[0]], { name: "ball" });
    const floor = draft.add("bar", [196, editor.thickness / 2], { name: "pad" });
    draft.resize(floor, [100]);
    draft.task.goal = { body: ball, other: floor };
    return draft;
  }

  // A draft of what a file has: a list of tasks, or one. An Error in words where it is none.
  static ofFile(text, editor) {
    let document;
    try {
      document = JSON.parse(text);
    } catch {
      throw new Error("this is no JSON");
    }
    const task = Array.isArray(document) ? document[0] : document;
    if (!task?.scene?.bodies?.length || !task.goal) throw new Error("this is no task: it has no scene and goal");
    const draft = new Draft(structuredClone(task), editor);
    for (const body of draft.bodies) {
      if (!Array.isArray(body?.shapes) || !body.shapes.length) throw new Error("a body has no shapes");
    }
    for (const name of ["body", "other"]) {
      const value = task.goal[name];
      const index = typeof value === "string" ? draft.bodies.findIndex((body) => body.name === value) : value;
      draft.task.goal[name] = draft.bodies[index] ? index : null;
    }
    draft.setRoles();
    return draft;
  }

  get bodies() { return this.task.scene.bodies; }

  get isComplete() { return this.task.goal.body !== null && this.task.goal.other !== null; }

  // Static bodies that are outside the view, such as the walls, can't be edited.
  isWall(index) {
    const name = this.bodies[index].name ?? "";
    return this.editor.walls.some((wall) => wall.name === name) && !this.bodies[index].dynamic;
  }

  pose(index) {
    const { position = [0, 0], angle = 0 } = this.bodies[index];
    return [...position, angle];
  }

  // The editable bodies for selection, in the order of drawing.
  items() {
    return this.bodies.map((body, index) => ({ index, shapes: drawn(body.shapes), pose: this.pose(index) }))
      .filter(({ index }) => !this.isWall(index));
  }

  name(index) {
    const body = this.bodies[index];
    return body.name || `${kindOf(body.shapes, this.editor).kind || "body"} ${index}`;
  }

  // Its name in the words of the goal.
  title(index) {
    const name = this.name(index);
    return name.length === 1 ? `${this.kind(index).kind || "body"} ${name}` : `the ${name}`;
  }

  freshName(base) {
    const names = new Set(this.bodies.map((body) => body.name));
    for (let k = 1; ; k++) {
      const name = k === 1 ? base : `${base} ${k}`;
      if (!names.has(name)) return name;
    }
  }

  add(kind, [x, y], fields = {}) {
    const { start, dynamic } = KINDS[kind];
    this.bodies.push({
      shapes: shapesOf(kind, start, this.editor), position: [x, y], ...(dynamic && { dynamic }), name: this.freshName(kind),
      ...this.editor.material, ...fields,
    });
    return this.bodies.length - 1;
  }

  duplicate(index) {
    const copy = structuredClone(this.bodies[index]);
    copy.name = this.freshName((copy.name || "body").replace(/ \d+$/, ""));
    copy.role = "";
    copy.position = (copy.position ?? [0, 0]).map((one) => one + 12);
    this.bodies.push(copy);
    return this.bodies.length - 1;
  }

  remove(index) {
    this.bodies.splice(index, 1);
    const { goal } = this.task;
    for (const name of ["body", "other"]) {
      if (goal[name] === index) goal[name] = null;
      else if (goal[name] > index) goal[name] -= 1;
    }
    this.forgetArea();
  }

  move(index, x, y) {
    this.bodies[index].position = [round(clamp(x, -200, SIDE + 200)), round(clamp(y, -200, SIDE + 200))];
  }

  turn(index, angle) {
    const full = 2 * Math.PI;
    this.bodies[index].angle = angle - full * Math.round(angle / full);
  }

  // Sets the sizes of a body whose kind is known.
  resize(index, sizes) {
    const { kind } = this.kind(index);
    if (!kind) return;
    const limits = Object.values(KINDS[kind].sizes);
    const fit = sizes.map((size, k) => clamp(round(size, 2), ...limits[k]));
    if (kind === "ball") fit[0] = Math.floor(fit[0]) + 0.5; // as all balls of PHYRE
    this.bodies[index].shapes = shapesOf(kind, fit, this.editor);
    this.forgetArea();
  }

  kind(index) { return kindOf(this.bodies[index].shapes, this.editor); }

  // Sizes a body by the ratios of a drag, from the shapes that it had.
  stretch(index, across, up, shapes) {
    const { kind, sizes } = kindOf(shapes, this.editor);
    if (kind === "box") this.resize(index, [sizes[0] * across, sizes[1] * up]);
    else if (kind) this.resize(index, [sizes[0] * (kind === "bar" ? across : Math.max(across, up))]);
    else this.bodies[index].shapes = scaled(shapes, clamp(Math.max(across, up), 0.1, 10));
    if (!kind) this.forgetArea();
  }

  setMoving(index, dynamic) {
    if (dynamic) this.bodies[index].dynamic = true;
    else delete this.bodies[index].dynamic;
  }

  // Makes a body A ("body") or B ("other") of the goal, or neither (index null).
  setGoal(name, index) {
    const { goal } = this.task;
    const second = name === "body" ? "other" : "body";
    if (index !== null && goal[second] === index) goal[second] = goal[name]; // they change places
    goal[name] = index;
    this.forgetArea();
    this.setRoles();
  }

  setRelation(relation) {
    this.task.goal.relation = relation;
    this.forgetArea();
  }

  get relation() { return this.task.goal.relation ?? "touching"; }

  forgetArea() { delete this.task.goal.area; } // the server makes it from the other body's hull

  setRoles() {
    const { body, other } = this.task.goal;
    this.bodies.forEach((one, index) => {
      if (index === body) one.role = "object";
      else if (index === other) one.role = "subject";
      else if (one.role) delete one.role;
    });
  }

  // The task as the painter draws it.
  view() {
    this.setRoles();
    const { body, other } = this.task.goal;
    const colour = ({ role, dynamic }) => role === "object" ? 2 : role === "subject" ? (dynamic ? 3 : 4) : dynamic ? 5 : 6;
    return {
      bodies: this.bodies.map((one, index) => ({
        shapes: drawn(one.shapes), pose: this.pose(index), colour: colour(one), dynamic: Boolean(one.dynamic),
        kind: this.kind(index).kind, name: this.title(index),
      })),
      goal: { words: this.words(), A: body, B: other },
      hold: 180,
      balls: this.task.tier === "B" ? 1 : 2,
    };
  }

  words() {
    const { relations } = this.editor;
    if (typeof this.relation === "string") return relations[this.relation] ?? "";
    return relations.above.replace("above", this.relation.join(" and "));
  }

  // The text of a file that all commands read.
  fileText() {
    this.setRoles();
    const { scene, ...head } = this.task;
    const { bodies, ...start } = scene;
    const lines = bodies.map((body) => JSON.stringify(body)).join(",\n");
    return `[\n${JSON.stringify(head).slice(0, -1)}, "scene": ${JSON.stringify(start).slice(0, -1)}, "bodies": [\n${lines}\n]}}\n]\n`;
  }
}
