// The first page: a card for each benchmark that has pages, and for what else the server offers.
import { getJson } from "/static/api.js";

const cards = document.querySelector("#cards");

function addCard(address, title, summary, picture) {
  const link = document.createElement("a");
  link.className = "card";
  link.href = address;
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

try {
  const { benchmarks, more } = await getJson("/api/benchmarks");
  for (const { name, title, summary, picture } of benchmarks) addCard(`/${name}/`, title, summary, picture);
  for (const { address, title, summary, picture } of more) addCard(address, title, summary, picture);
  if (!benchmarks.length) document.querySelector("#message").textContent = "No installed benchmark has pages.";
} catch (error) {
  document.querySelector("#message").textContent = error.message;
}
