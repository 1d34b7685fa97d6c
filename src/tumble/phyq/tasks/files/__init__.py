"""Levels as files."""
