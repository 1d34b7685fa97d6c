"""Programs of questions: their types, operators and interpreter."""
