// The keys of an editor: undo, redo, save, arrows, and letters of its own.
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

// `isReady` says whether there is something to edit; `nudge` gets a direction and whether Shift is held; `pause` plays or
// pauses what is watched, and is called only where `isWatched`; `keys` are functions by key.
export function listenToKeys({ isReady, undo, redo, save, nudge, play, isWatched, pause, keys }) {
  const withControl = (event) => {
    const { target, key, shiftKey } = event;
    const writes = target.tagName === "INPUT" && target.type === "text";
    const letter = key.toLowerCase();
    if (letter === "s") save();
    else if (letter === "z" && !writes) (shiftKey ? redo : undo)();
    else if (letter === "y" && !writes) redo();
    else return false;
    return true;
  };
  const alone = ({ target, key, shiftKey }) => {
    if (["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName)) return false;
    const presses = ["BUTTON", "A", "SUMMARY"].includes(target.tagName);
    if (key in ARROWS) nudge(...ARROWS[key], shiftKey);
    else if (key === "Enter" && !presses) play();
    else if (key === " " && !presses && isWatched()) pause();
    else if (key in keys || key.toLowerCase() in keys) (keys[key] ?? keys[key.toLowerCase()])();
    else return false;
    return true;
  };
  document.addEventListener("keydown", (event) => {
    if (!isReady() || event.altKey) return;
    const used = event.ctrlKey || event.metaKey ? withControl(event) : alone(event);
    if (used) event.preventDefault();
  });
}
