"""The shot ranker: a network that predicts from a table of objects which of many shots win."""
