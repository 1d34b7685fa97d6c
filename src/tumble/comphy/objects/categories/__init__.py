"""One file for each category, with a function `design(draws)` that draws its proportions."""
