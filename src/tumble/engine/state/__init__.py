"""The state of a world in memory."""

from tumble.engine.state.world import World

__all__ = ["World"]
