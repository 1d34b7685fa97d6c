"""The error of all environments."""

from tumble.errors import TumbleError


class EnvError(TumbleError):
    """An environment that is made, reset or used wrongly."""
