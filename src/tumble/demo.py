"""The demo: what the engine does, as pictures and figures in a folder."""

from importlib import import_module
from pathlib import Path


def run(out: Path) -> None:
    """Write the demo's files into the existing folder `out`."""
    # Loaded only here, so that `tumble --help` does not wait for Warp.
    import_module("tumble.scene")
    import_module("tumble.engine")
