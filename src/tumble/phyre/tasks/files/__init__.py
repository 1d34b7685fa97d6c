"""Tasks as files: ours, and the published formats."""
