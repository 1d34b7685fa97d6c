// Drawing a level under construction, with the painter of levels.
import { drawHandles, drawMarks } from "/static/edit_painter.js";
import { coloursOf } from "/phyq/static/colours.js";
import { Painter } from "/phyq/static/painter.js";

const ORDER = ["platforms", "blocks", "tnts", "pigs"]; // from back to front
const GAP = 0.9; // between waiting birds

export class DraftView {
  constructor(camera, editor) {
    this.camera = camera;
    this.editor = editor;
    this.designs = Object.values(editor.pieces).flat();
    this.setSling(editor);
  }

  // The slingshot of the level, as the server draws it.
  setSling({ sling, rest }) {
    const styles = [...this.designs.map(({ layers }) => layers), ...this.editor.birds.map(({ layers }) => layers)];
    this.rest = rest;
    this.painter = new Painter(this.camera, { ...this.editor, sling, rest, styles });
  }

  draw(draft, palette, chosen, marked) {
    const { painter, camera } = this;
    const unit = 1 / camera.scale;
    painter.colours = coloursOf(this.editor.colours, palette);
    painter.background();
    const ids = draft.ids();
    const drawn = [...ids].sort((a, b) => ORDER.indexOf(a.split(":")[0]) - ORDER.indexOf(b.split(":")[0]));
    for (const id of drawn.filter((one) => one.startsWith("platforms"))) this.platform(draft, id);
    painter.slingBack();
    painter.band(draft.level.birds.length ? this.rest : null, 0.2, true);
    for (const id of drawn.filter((one) => !one.startsWith("platforms"))) {
      painter.object({ style: this.designs.indexOf(draft.design(id)) }, draft.pose(id));
    }
    this.birds(draft);
    painter.ground();
    const items = draft.items();
    drawMarks(painter.context, items.filter(({ id }) => marked.includes(id)), unit);
    const item = items.find(({ id }) => id === chosen);
    if (item) drawHandles(painter.context, item, unit);
  }

  birds(draft) {
    const [x, y] = this.rest;
    draft.level.birds.forEach((colour, k) => {
      const style = this.designs.length + this.editor.birds.findIndex((bird) => bird.colour === colour);
      const place = k ? [x - k * GAP, this.editor.rules.ground + 0.25, 0] : [x, y, 0];
      this.painter.object({ style }, place);
    });
  }

  // Platforms have any size, but edges of the same width.
  platform(draft, id) {
    const { painter, camera } = this;
    const { context } = painter;
    const [x, y, angle] = draft.pose(id);
    const corners = draft.outline(id);
    const half = [Math.abs(corners[0][0]), Math.abs(corners[0][1])];
    const inner = half.map((size) => size * Math.max(1 - this.editor.edge / size, 0.3));
    context.save();
    context.translate(x, y);
    context.rotate(angle);
    for (const [[across, up], colour] of [[half, "platform dark"], [inner, "platform"]]) {
      context.fillStyle = painter.colours[colour];
      context.fillRect(-across, -up, 2 * across, 2 * up);
    }
    context.restore();
    camera.apply(context);
  }
}
