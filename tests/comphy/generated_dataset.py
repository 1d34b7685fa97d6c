"""A tiny dataset, made once and copied for tests that change it."""

import atexit
from functools import cache
from pathlib import Path
from shutil import copytree, rmtree
from tempfile import mkdtemp

from tumble.comphy.generation.generate import generate

SETS, SEED, SIZE = 6, 1, (48, 32)


@cache
def made() -> Path:
    """Six sets with videos, made by one worker; to be left as it is."""
    folder = Path(mkdtemp(prefix="tumble-comphy-")) / "data"
    atexit.register(rmtree, folder.parent)
    generate(folder, SETS, SEED, SIZE, workers=1)
    return folder


def copied(folder: Path) -> Path:
    """A copy to change."""
    return Path(copytree(made(), folder / "data"))


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, with its bytes."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
