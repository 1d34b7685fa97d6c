// The goal of a task in words, with the colours and letters of its two bodies.
import { PALETTES } from "/static/palette.js";

function chip(task, letter, palette, letters) {
  const body = task.bodies[task.goal[letter]];
  const { colours, words } = PALETTES[palette];
  const element = document.createElement("span");
  element.className = "chip";
  const swatch = document.createElement("i");
  swatch.style.background = colours[body.colour];
  const mark = document.createElement("b");
  mark.textContent = letter;
  if (letter === "B") swatch.className = mark.className = "square";
  mark.hidden = !letters;
  const name = body.name.replace(/^body \d+ \(.*\)$/, `the ${body.kind}`);
  const colour = document.createElement("small");
  colour.textContent = words[body.colour];
  element.append(swatch, mark, name, colour);
  return element;
}

export function showGoal(element, task, palette, letters) {
  const parts = task.goal.words.split(/(\{[AB]\})/).filter(Boolean);
  const shown = parts.map((part) => /^\{[AB]\}$/.test(part) ? chip(task, part[1], palette, letters) : part);
  element.replaceChildren(...shown, ".");
  const name = element.firstChild.childNodes[2]; // the goal begins with its first body
  if (name) name.textContent = name.textContent[0].toUpperCase() + name.textContent.slice(1);
}
