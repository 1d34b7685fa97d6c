"""Statuses of many actions on many tasks, stored on disk."""
