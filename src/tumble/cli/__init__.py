"""The `tumble` command: what can be typed, and what the commands that all benchmarks share do."""
