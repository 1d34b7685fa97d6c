"""The id of the physics: results with the same id can be compared bit for bit."""

PHYSICS_VERSION = 1
"""Raised whenever any rollout changes by any bit; the golden hashes in the tests detect that."""


def physics_id() -> str:
    """The id that every result carries."""
    return f"tumble-2d-{PHYSICS_VERSION}"
