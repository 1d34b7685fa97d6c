"""Phy-Q's tasks as puzzles for language and vision models."""
