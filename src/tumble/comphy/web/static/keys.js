// Keys on the page of a set, and buttons and links that are used with the mouse or the Tab key.

const OWN_KEYS = ["text", "search", "number", "range"]; // fields that use keys themselves
const ARROWS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Tab"];

export function keysOn({ keys, digit }) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target, key } = event;
    const presses = key === "Enter" || key === " ";
    if (ARROWS.includes(key)) return;
    if (target.tagName === "SELECT" || (target.tagName === "INPUT" && OWN_KEYS.includes(target.type) && key !== "Enter")) return;
    if (presses && ["BUTTON", "A", "SUMMARY"].includes(target.tagName)) return;
    if (key === " " && target.tagName === "INPUT") return; // ticks it
    if (/^[1-9]$/.test(key)) digit(Number(key) - 1);
    else if (key.toLowerCase() in keys) {
      if (!(presses && event.repeat)) keys[key.toLowerCase()]();
    } else {
      return;
    }
    event.preventDefault();
  });
}
