"""Errors of training."""

from tumble.errors import TumbleError


class TrainingError(TumbleError):
    """A checkpoint, a device or settings that training or a trained network can't use."""
