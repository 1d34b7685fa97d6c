// Where the page of a task gets its tasks, and what counts its attempts: free play, or a study, by the class of its body.
import { getJson, postJson, store, stored } from "/static/api.js";

export const EMPTY = { count: 0, solved: false, tries: [] };

// Free play: any task, by its address; the browser keeps what was tried.
class FreePlay {
  studies = false;
  ghosts = true;

  constructor(name) {
    this.name = name;
  }

  load(id) { return getJson(`/${this.name}/api/tasks/${id}`); }
  record(task) { return { ...EMPTY, ...stored(`${this.name}:${task.id}`, {}) }; }
  keep(task, record) { store(`${this.name}:${task.id}`, record); }
  attempt(request) { return postJson(`/${this.name}/api/attempts`, request); }
  change(request) { return this.attempt(request); } // of the last part of an attempt while it is shown
  ready() {} // the person can make the next attempt, or its next part
}

// `numbers` turns a request for an attempt into the numbers of its last part; `reload` shows the current task.
export async function openSession(name, numbers, reload) {
  if (!document.body.classList.contains("study")) return new FreePlay(name);
  const { Study } = await import("/static/study.js");
  return new Study(numbers, reload);
}
