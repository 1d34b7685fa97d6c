"""The file of collected shots: arrays of scenes and shots, with the physics and the split that they are from."""

from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from tumble.bounded import arrays, read_bytes
from tumble.learning.errors import TrainingError
from tumble.phyq.models.ranker.collect import Collected
from tumble.phyq.models.ranker.scenes import Scenes
from tumble.phyq.simulation.simulator import physics_id
from tumble.scene.files import whole_file

FORMAT = "tumble-phyq-shots-1"
MOST_BYTES = 1 << 33
"""Of a file."""
MOST_CONTENT, MOST_PER_BYTE = 1 << 25, 2
"""Bytes that its arrays may take, and further ones for each of its bytes; they are written without compression."""


@dataclass(frozen=True)
class ShotData:
    """Collected shots, and a digest of them."""

    collected: Collected
    digest: str


def write_shots(path: Path, collected: Collected) -> None:
    """Writes the file whole or not at all."""
    columns: dict[str, Any] = {f"scene_{f.name}": getattr(collected.scenes, f.name) for f in fields(Scenes)}
    columns |= {f.name: getattr(collected, f.name) for f in fields(Collected) if f.name != "scenes"}
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as temporary, temporary.open("wb") as stream:
        np.savez(stream, format=np.array(FORMAT), physics=np.array(physics_id()), **columns)


def read_shots(path: Path) -> ShotData:
    """Reads a file of shots that were played with the present physics."""
    try:
        raw = read_bytes(path, MOST_BYTES)
        stored = arrays(raw, MOST_CONTENT + MOST_PER_BYTE * len(raw))
        found, physics = str(stored.pop("format")), str(stored.pop("physics"))
        scenes = Scenes(**{f.name: stored.pop(f"scene_{f.name}") for f in fields(Scenes)})
        collected = Collected(scenes, **stored)
    except OSError as error:
        raise TrainingError(f"{path}: {error.strerror or 'cannot be read'}") from None
    except (ValueError, KeyError, TypeError):
        raise TrainingError(f"{path}: no file of collected shots, or a damaged one") from None
    if found != FORMAT:
        raise TrainingError(f"{path}: not a file of this version: its format is not {FORMAT}")
    if physics != physics_id():
        raise TrainingError(f"{path}: played with the physics {physics}, and this is {physics_id()}; collect again")
    digest = sha256()
    for array in (scenes.poses, collected.scene_of, collected.shots, collected.won):
        digest.update(np.ascontiguousarray(array).tobytes())
    return ShotData(collected, digest.hexdigest()[:16])
