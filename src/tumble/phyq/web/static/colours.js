// Colours by name. The second palette keeps pigs, materials and birds apart for people with any common colour blindness
// (after Okabe and Ito); shapes and marks differ in both.

const DISTINCT = {
  "wood": "#e69f00", "wood dark": "#6b4700", "wood grain": "#b87f00",
  "ice": "#a8e0ff", "ice dark": "#005f96", "ice grain": "#ffffff",
  "stone": "#b4b4b4", "stone dark": "#444444", "stone grain": "#8c8c8c",
  "platform": "#3c3c3c", "platform dark": "#000000",
  "pig": "#d884b4", "pig dark": "#6e1f4c", "pig snout": "#f7d3e6",
  "red": "#d55e00", "red dark": "#6d2f00", "yellow": "#f0e442", "yellow dark": "#8a8000",
  "blue": "#0072b2", "blue dark": "#003a5c",
};

export const NAMES = { standard: "Standard colours", distinct: "Colours for colour blindness" };

export function coloursOf(base, palette) {
  return palette === "distinct" ? { ...base, ...DISTINCT } : base;
}
