// The first page: a card for each benchmark that has pages.
import { getJson } from "/static/api.js";

const cards = document.querySelector("#cards");
try {
  const { benchmarks } = await getJson("/api/benchmarks");
  for (const { name, title, summary, picture } of benchmarks) {
    const link = document.createElement("a");
    link.className = "card";
    link.href = `/${name}/`;
    const heading = document.createElement("h2");
    heading.textContent = title;
    const text = document.createElement("p");
    text.textContent = summary;
    if (picture) link.append(Object.assign(document.createElement("img"), { src: picture, alt: "", width: 240, height: 240 }));
    link.append(heading, text);
    const item = document.createElement("li");
    item.append(link);
    cards.append(item);
  }
  if (!benchmarks.length) document.querySelector("#message").textContent = "No installed benchmark has pages.";
} catch (error) {
  document.querySelector("#message").textContent = error.message;
}
