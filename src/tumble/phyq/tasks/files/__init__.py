"""Level files."""
