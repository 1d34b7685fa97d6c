"""The commands of `tumble phyq`: their options, and a file for the implementation of each."""
