// Files without the server: one that is saved, and one that is opened by a button or dropped on the page.

export function save(name, text, type = "application/json") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// `open` gets the text and the name of a file; `refuse` a message.
export function receiveFiles(input, most, open, refuse) {
  const read = async (file) => {
    if (!file) return;
    if (file.size > most) refuse(`${file.name} is too large for this page.`);
    else open(await file.text(), file.name);
  };
  input.addEventListener("change", () => {
    read(input.files[0]);
    input.value = "";
  });
  let depth = 0;
  const mark = (change) => {
    depth = Math.max(0, depth + change);
    document.body.classList.toggle("dropping", depth > 0);
  };
  const hasFile = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  document.addEventListener("dragenter", (event) => { if (hasFile(event)) mark(1); });
  document.addEventListener("dragleave", (event) => { if (hasFile(event)) mark(-1); });
  document.addEventListener("dragover", (event) => { if (hasFile(event)) event.preventDefault(); });
  document.addEventListener("drop", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    mark(-Infinity);
    read(event.dataTransfer.files[0]);
  });
}
