"""The commands of `tumble phyq`: what can be typed, and a file for what each command does."""
