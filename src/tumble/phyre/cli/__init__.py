"""The commands of `tumble phyre`: their options, and a file for the implementation of each."""
