// A search in the background: asks the server for one part after another, until told to stop or until the scene changes.
import { postJson } from "/static/api.js";

const PAUSE = 3000; // ms after which a busy server is asked again

export class Search {
  // `add` gets the answer to each part and says whether to continue; `failed` gets the message of an error.
  constructor(path, add, failed) {
    this.path = path;
    this.add = add;
    this.failed = failed;
    this.turn = 0;
    this.running = false;
  }

  cancel() {
    this.turn += 1;
    this.running = false;
  }

  async start(body, first = 0) {
    this.cancel();
    const turn = this.turn;
    this.running = true;
    for (let next = first; turn === this.turn;) {
      let answer;
      try {
        answer = await postJson(this.path, { ...body, first: next });
      } catch (error) {
        if (turn !== this.turn) return;
        if (error.status !== 503 && error.status !== 429) {
          this.running = false;
          this.failed(error.message);
          return;
        }
        await new Promise((done) => { setTimeout(done, PAUSE); });
        continue;
      }
      if (turn !== this.turn) return;
      next = answer.next;
      if (!this.add(answer)) this.running = false;
      if (!this.running) return;
    }
  }
}
