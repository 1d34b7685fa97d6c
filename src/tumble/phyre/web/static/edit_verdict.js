// What is known about a task of PHYRE: is it valid, is it trivial, and which share of random actions solves it.
import { Verdict, shareOf } from "/static/verdict.js";

export class TaskVerdict extends Verdict {
  get tried() { return this.count("not_solved") + this.count("unstable") + this.count("stable"); }

  showCheck({ findings, moving }, nameOf) {
    const names = `${moving.slice(0, 4).map(nameOf).join(", ")}${moving.length > 4 ? " and others" : ""}`;
    this.show("task", findings, moving.length ? [this.row("wait", `without an action ${names} will move`)] : []);
  }

  words(done) {
    const [stable, unstable] = [this.count("stable"), this.count("unstable")];
    if (!this.tried) return done ? "Not solvable: there is no room for a ball." : "Trying at random …";
    const [part, share] = shareOf(stable + unstable, this.tried);
    const tried = `${part} valid random actions solve it ${share}`;
    const all = this.tried + this.count("invalid");
    if (stable >= this.share * all && all >= 50) return `Solvable, but trivial: ${tried}.`;
    if (stable) return `Solvable: ${tried}.`;
    if (unstable) return `Solvable, but not stably yet: ${tried}, none of them if shifted by half a pixel.`;
    return done ? `No solution was found: ${tried}.` : `${tried} so far.`;
  }
}
