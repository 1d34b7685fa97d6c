// Level files that a person drops on the page or chooses: Science Birds' XML, or Tumble's JSON.
import { postJson } from "/static/api.js";

const MOST_BYTES = 400_000;
const KEY = "phyq:own";

async function textOf(file) {
  if (file.size > MOST_BYTES) throw new Error(`${file.name} is too large for a level: it has ${file.size.toLocaleString()} bytes.`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) ? "utf-16le" : (bytes[0] === 0xfe && bytes[1] === 0xff) ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(wide, { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${file.name} is no text.`);
  }
}

async function read(file) {
  const text = await textOf(file);
  try {
    return { ...await postJson("/phyq/api/levels", { text }), name: file.name };
  } catch (error) {
    throw new Error(`${file.name}: ${error.message}`);
  }
}

export function keepLevel({ name, text }) {
  sessionStorage.setItem(KEY, JSON.stringify({ name, text }));
}

// The level that was opened last in this window, or null.
export async function keptLevel() {
  const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
  return kept && { ...await postJson("/phyq/api/levels", { text: kept.text }), name: kept.name };
}

// Takes files that are dropped anywhere, or chosen in an input.
export function acceptLevels(input, { opened, failed }) {
  const take = async (file) => {
    if (!file) return;
    try {
      opened(await read(file));
    } catch (error) {
      failed(error.message);
    }
  };
  input.addEventListener("change", () => { take(input.files[0]); input.value = ""; });
  for (const name of ["dragenter", "dragover"]) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      document.body.classList.add("dropping");
    });
  }
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    take(event.dataTransfer.files[0]);
  });
}
