// Keys on the page of a set. Arrows, and Enter and Space on buttons and links, stay what they are.

const ARROWS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Tab"];

export function keysOn({ keys, digit }) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target, key } = event;
    const presses = key === "Enter" || key === " ";
    if (ARROWS.includes(key)) return;
    if (target.tagName === "SELECT") return;
    if (presses && ["BUTTON", "A", "SUMMARY"].includes(target.tagName)) return;
    if (key === " " && ["checkbox", "radio"].includes(target.type)) return; // ticks it
    if (/^[1-9]$/.test(key)) digit(Number(key) - 1);
    else if (key.toLowerCase() in keys) {
      if (!(presses && event.repeat)) keys[key.toLowerCase()]();
    } else {
      return;
    }
    event.preventDefault();
  });
}
