"""PHYRE for language and vision models: its tasks as puzzles in words and pictures."""
