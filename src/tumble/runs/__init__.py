"""Run logs: what was tried, with which physics, by whom, with what result; and how many runs go side by side."""

from tumble.runs.log import Log, LogError, Row, logs_in, read

__all__ = ["Log", "LogError", "Row", "logs_in", "read"]
