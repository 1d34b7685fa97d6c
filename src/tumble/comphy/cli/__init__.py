"""The commands of `tumble comphy`: what can be typed, and a file for what each command does."""
