// The task that was made in the editor of this browser, to be played on the page of tasks.
import { postJson, stored } from "/static/api.js";

export const OWN = "own";

// As tasks of the server are, with the record that attempts at it send.
export async function ownTask() {
  const kept = stored("phyre:edit", null);
  if (!kept) throw new Error("There is no task of your own in this browser yet: make one in the editor.");
  return { ...await postJson("/phyre/api/own/task", { own: kept.task }), own: kept.task };
}
