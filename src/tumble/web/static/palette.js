// Colours by the colour index of a body: background, placed, object, moving and fixed subject, other moving and fixed.
// The second palette keeps goal bodies apart for people with any common colour blindness (after Okabe and Ito).

export const PALETTES = {
  standard: {
    label: "PHYRE colours",
    colours: ["#ffffff", "#f34f46", "#6bcebb", "#1877f2", "#4b4aa4", "#b9cad2", "#000000"],
    words: ["white", "red", "green", "blue", "purple", "gray", "black"],
  },
  distinct: {
    label: "Colours for colour blindness",
    colours: ["#ffffff", "#d55e00", "#f0e442", "#56b4e9", "#0072b2", "#c4c4c4", "#000000"],
    words: ["white", "orange", "yellow", "light blue", "dark blue", "gray", "black"],
  },
};
