"""Runs of agents and their logs: who attempted what, with which settings, physics and result."""

from tumble.runs.log import Log, LogError, Row, logs_in, read

__all__ = ["Log", "LogError", "Row", "logs_in", "read"]
