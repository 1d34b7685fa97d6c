"""The name of the physics: results made under one name can be compared bit for bit."""

PHYSICS_VERSION = 1
"""Raised whenever any rollout changes by any bit; the golden hashes in the tests say when that is."""


def physics_id() -> str:
    """The id that every result carries."""
    return f"tumble-2d-{PHYSICS_VERSION}"
