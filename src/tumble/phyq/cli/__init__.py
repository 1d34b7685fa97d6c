"""What the commands of `tumble phyq` do; `tumble.cli` says what can be typed, and loads this when a command runs."""
