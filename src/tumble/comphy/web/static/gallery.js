// The start page: a random set, a set by its address, one's own accuracy, and some sets to choose from.
import { getJson } from "/static/api.js";
import { familyTable, hasPlayed, records, scoreTable } from "/comphy/static/score.js";
import { make } from "/comphy/static/dom.js";

const $ = (name) => document.querySelector(`#${name}`);
const SHOWN = 8;
const SETS = 100_000;
const idOf = (number) => `1-${String(number).padStart(5, "0")}`;

$("random").href = `/comphy/${idOf(Math.floor(Math.random() * SETS))}`;
$("everyday").href = `/comphy/div-${idOf(Math.floor(Math.random() * SETS))}`;
$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const found = /^\s*(div-)?(?:(\d{1,5})-)?(\d{1,5})\s*$/.exec($("set").value);
  if (found) location.href = `/comphy/${found[1] ?? ""}${Number(found[2] ?? 1)}-${found[3].padStart(5, "0")}`;
  else $("message").textContent = "A set is a seed and a number, as in 1-00042, or div-1-00042 for everyday objects.";
});

const played = records();
const recent = Object.keys(played).filter((id) => Object.keys(played[id].answers).length).slice(-SHOWN);
const ids = [...new Set([...recent, ...Array.from({ length: SHOWN }, (_, k) => idOf(k))])].slice(0, Math.max(SHOWN, recent.length));
$("sets").append(...ids.map((id) => {
  const marks = Object.values(played[id]?.marks ?? {});
  const right = marks.filter(({ correct }) => correct.every(Boolean)).length;
  const picture = make("img", { src: `/comphy/pictures/${id}.webp`, alt: "", loading: "lazy", width: 240, height: 160 });
  return make("li", {}, make("a", { href: `/comphy/${id}` }, picture, make("strong", { textContent: id }),
    make("span", { textContent: marks.length ? ` · ${right} of ${marks.length} right` : "" })));
}));
try {
  $("accuracy").append(...scoreTable(await getJson("/comphy/api/published")));
  if (hasPlayed("div")) {
    $("accuracy").append(make("h3", { textContent: "Everyday objects" }), ...scoreTable(await getJson("/comphy/api/published/div")));
  }
  if (Object.keys(played).length) {
    $("families").hidden = false;
    $("families").append(familyTable());
  }
} catch (error) {
  $("message").textContent = error.message;
}
