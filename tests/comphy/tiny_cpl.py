"""Settings of CPL with which a step of training takes a second."""

from typing import Any

from tumble.comphy.models.graph.cpl import CplConfig


def tiny_cpl(**settings: Any) -> CplConfig:
    """The settings, with some changed."""
    small = {"property_hidden": 8, "property_channels": 8, "dynamics_hidden": 8}
    return CplConfig(**{**small, "batch": 2, "windows": 4, "steps": 2, "last_steps": 2, **settings})
