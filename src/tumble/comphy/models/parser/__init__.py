"""The learned parser: a network that translates questions and options to programs."""
