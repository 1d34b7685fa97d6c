// What is known about a level: is it valid, does it rest, and which share of random shots wins it.
import { Verdict, shareOf } from "/static/verdict.js";

export class LevelVerdict extends Verdict {
  get tried() { return this.count("won") + this.count("not_won"); }

  words(done) {
    const won = this.count("won");
    if (!this.tried) return "Trying at random …";
    const [part, share] = shareOf(won, this.tried);
    const tried = `${part} attempts with random shots win it ${share}`;
    if (won >= this.share * this.tried && this.tried >= 20) return `Solvable, but trivial: ${tried}.`;
    if (won) return `Solvable: ${tried}.`;
    return done ? `No solution was found: ${tried}.` : `${tried} so far.`;
  }
}
