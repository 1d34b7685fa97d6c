"""Errors of training."""

from tumble.errors import TumbleError
from tumble.runs.agent_registry import AgentError


class TrainingError(TumbleError):
    """A checkpoint, a device or settings that training or a trained network can't use."""


class PausedError(AgentError):
    """The training of an agent stopped because its time was over; the same call resumes it."""
