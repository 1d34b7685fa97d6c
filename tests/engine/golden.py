"""Hashes of rollouts: one number that changes when any bit of any pose, velocity or event does."""

import hashlib
import json
from pathlib import Path

import numpy as np

from tumble import engine
from tumble.scene.samples import SAMPLES

FILE = Path(__file__).with_name("golden.json")
OPTIONS = {"stride": 1, "velocities": True, "events": True, "max_steps": 600}


def digest(result: engine.Rollouts) -> str:
    """The hash of everything that a rollout gives; absent bodies count as zeros."""
    total = hashlib.sha256()
    for values in (result.verdicts, result.steps, result.frames, result.poses, result.velocities):
        total.update(np.ascontiguousarray(np.nan_to_num(values)).tobytes())
    for name in engine.EVENT.names or ():
        total.update(np.ascontiguousarray(result.events[name]).tobytes())
    return total.hexdigest()


def measured(**options: object) -> dict[str, str]:
    """The hash of every sample scene, rolled out under the given options."""
    hashes = {}
    for name, sample in SAMPLES.items():
        chosen = engine.Options(**{**OPTIONS, **options})  # type: ignore[arg-type]
        hashes[name] = digest(engine.rollout(engine.each([sample()]), options=chosen))
    return hashes


def stored() -> dict[str, object]:
    """The committed hashes and the id of the physics that made them."""
    content: dict[str, object] = json.loads(FILE.read_text(encoding="utf-8"))
    return content


if __name__ == "__main__":  # after a deliberate change: raise PHYSICS_VERSION, then run this
    FILE.write_text(json.dumps({"physics": engine.physics_id(), "hashes": measured()}, indent=2) + "\n")
