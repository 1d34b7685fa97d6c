"""Runs of agents and their logs: who attempted what, with which settings, physics and result."""

from tumble.runs.log import Log, LogError, Row, logs_in, read
from tumble.runs.participant import Given

__all__ = ["Given", "Log", "LogError", "Row", "logs_in", "read"]
