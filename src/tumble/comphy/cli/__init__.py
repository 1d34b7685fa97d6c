"""The commands of `tumble comphy`: their options, and a file for the implementation of each."""
