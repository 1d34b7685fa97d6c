"""The commands of `tumble phyre`: what can be typed, and a file for what each command does."""
