"""Agents that attempt PHYRE's tasks."""
