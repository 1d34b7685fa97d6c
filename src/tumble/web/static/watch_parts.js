// Words and elements that the pages for watching share.

export const make = (tag, properties = {}, ...children) => {
  const { label, data, ...own } = properties;
  const element = Object.assign(document.createElement(tag), own);
  if (label) element.setAttribute("aria-label", label);
  for (const [name, value] of Object.entries(data ?? {})) element.dataset[name] = value;
  element.append(...children.filter((child) => child !== null && child !== ""));
  return element;
};

export const many = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
export const percent = (part, whole) => whole ? `${(100 * part / whole).toFixed(0)} %` : "–";
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export function dateText(iso) {
  if (!iso) return "";
  const date = new Date(iso);
  const two = (number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

export function stateText({ problem, finished, tasks, task_count: all, changed }) {
  if (problem && !all) return "broken";
  return finished ? "finished" : `not finished: ${tasks} of ${all}, last written ${dateText(1000 * changed)}`;
}

// The result of a task in words, and as few signs.
export function resultWords({ attempts, passed, first, given_up: givenUp, unfinished }, { every_attempt: every, attempt_word: noun }) {
  const more = [givenUp && `given up: ${givenUp}`, unfinished && "not finished"].filter(Boolean).map((text) => `; ${text}`).join("");
  if (every) return `${passed} of ${many(attempts, noun)} ${noun === "question" ? "right" : "passed"}${more}`;
  return first ? `solved at ${noun} ${first}${more}` : `not solved in ${many(attempts, noun)}${more}`;
}

export function resultSigns({ attempts, passed, first, unfinished }, { every_attempt: every }) {
  const mark = unfinished ? "…" : passed ? "✓" : "✗";
  return every ? `${mark} ${passed}/${attempts}` : `${mark} ${first ?? attempts}`;
}

// The address of a replay.
export function replayAddress(run, task, attempt, beside, besideAttempt) {
  const query = new URLSearchParams({ task });
  if (attempt) query.set("attempt", attempt);
  if (beside) query.set("beside", beside);
  if (beside && besideAttempt) query.set("beside_attempt", besideAttempt);
  return `/watch/${run}/replay?${query.toString().replaceAll("%3A", ":")}`;
}

export function runLabel({ agent, conditions, seed, people }) {
  return [agent, conditions, people ? "" : `seed ${seed}`].filter(Boolean).join(" · ");
}
