"""Outcomes of many actions on many tasks, kept on disk."""
