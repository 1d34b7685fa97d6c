"""The state of a world in memory."""

from tumble.engine.state.layout import World

__all__ = ["World"]
