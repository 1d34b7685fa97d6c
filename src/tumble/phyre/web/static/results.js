// How agents did on a task, as a table.
import { getJson } from "/static/api.js";

const cell = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });

function row(tag, ...texts) {
  const line = document.createElement("tr");
  line.append(...texts.map((text) => cell(tag, text)));
  return line;
}

export async function showResults(target, task) {
  const { sweep, runs } = await getJson(`/phyre/api/tasks/${task}/agents`);
  const rows = [...(sweep.agents ?? []), ...runs];
  target.replaceChildren();
  if (sweep.valid) {
    const share = (100 * sweep.solving / sweep.valid).toFixed(1);
    target.append(cell("p", `Of ${sweep.valid} random valid actions ${sweep.solving} solve it (${share} %).`));
  }
  if (!rows.length) {
    target.append(cell("p", "There are no results of agents on this task."));
    return;
  }
  const table = document.createElement("table");
  table.append(row("th", "agent", "solved at attempt", ""));
  for (const { agent, solved_at: at, note } of rows) table.append(row("td", agent, at === null ? "not within 100" : `${at}`, note));
  target.append(table);
}
