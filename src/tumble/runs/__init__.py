"""Run logs: what was tried, with which physics, by whom, with what result."""

from tumble.runs.log import Log, LogError, Row, logs_in, read

__all__ = ["Log", "LogError", "Row", "logs_in", "read"]
