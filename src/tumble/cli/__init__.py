"""The `tumble` command, and the implementation of the commands that all benchmarks share."""
