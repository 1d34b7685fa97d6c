"""Random bit flips in stored data: changes of what is read that no reader notices.

    python benchmarks/robustness/stored_flips.py [--flips 5000]

A ComPhy dataset (annotations, questions, settings, checksums), a PHYRE sweep store and a DQN checkpoint are made, one
random bit is changed, and everything is read. A flip is noticed if reading names a damaged file, harmless if what is
read is the same as before, and unnoticed otherwise. `bit_flips.py` does the same for run logs.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from phyre_formats import sample_store
from table import Results

from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.generation.generate import generate
from tumble.errors import TumbleError
from tumble.phyre.simulation.sweep_files import open_store

SETS = 6


def read_dataset(folder: Path) -> Any:
    """All annotations and questions of a dataset, in a form that can be compared."""
    data = open_dataset(folder)
    content = [
        (
            example.questions,
            example.videos.bodies,
            example.videos.family,
            example.videos.seed,
            [reference.members for reference in example.videos.references],
            [_motion(motion) for motion in _motions(example.videos)],
            list(example.videos.altered),
        )
        for example in data.examples()
    ]
    if data.faults:
        raise TumbleError(str(data.faults[0]))
    return data.settings, data.physics_id, content


def _motions(videos: Any) -> list[Any]:
    return [videos.target, *(reference.motion for reference in videos.references), *videos.altered.values()]


def _motion(motion: Any) -> tuple[object, ...]:
    arrays = (motion.positions, motion.orientations, motion.velocities, motion.angular_velocities, motion.in_view)
    return (*(array.tobytes() for array in arrays), motion.collisions)


def read_store(folder: Path) -> Any:
    """Everything that a sweep store holds."""
    store = open_store(folder)
    return store.contents, store.actions.tobytes(), store.statuses().tobytes()


def read_checkpoint(folder: Path) -> Any:
    """Everything that a checkpoint holds."""
    from tumble.phyre.models.training import load_checkpoint

    content = load_checkpoint(folder / "net.pt")
    network = {name: weights.numpy().tobytes() for name, weights in content.pop("network").items()}
    return content, network


def count(folder: Path, read: Callable[[Path], Any], flips: int, seed: int) -> tuple[int, int, int]:
    """Flips that were noticed, that changed nothing, and that changed what is read without notice."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    sizes = np.cumsum([path.stat().st_size for path in files])
    expected = read(folder)
    rng = Random(seed)
    noticed = harmless = unnoticed = 0
    for _ in range(flips):
        # Half of the flips are spread over files, so that small ones have their share; half over bytes.
        k = rng.randrange(len(files))
        if rng.random() < 0.5:
            k = int(np.searchsorted(sizes, rng.randrange(sizes[-1]), "right"))
        raw = files[k].read_bytes()
        place, bit = rng.randrange(len(raw)), 1 << rng.randrange(8)
        files[k].write_bytes(raw[:place] + bytes([raw[place] ^ bit]) + raw[place + 1 :])
        try:
            if read(folder) == expected:
                harmless += 1
            else:
                unnoticed += 1
                print(f"unnoticed: {files[k]}, byte {place}, bit {bit}")
        except TumbleError:
            noticed += 1
        files[k].write_bytes(raw)
    return noticed, harmless, unnoticed


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--flips", type=int, default=5000, help="in each kind of data; a tenth of it in the dataset")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    results = Results("Bit flips in stored data")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generate(folder / "dataset", SETS, 1, video=False, workers=1)
        sample_store(folder / "store")
        jobs = [("dataset", read_dataset, options.flips // 10), ("sweep store", read_store, options.flips)]
        try:
            _write_checkpoint(folder / "checkpoint")
            jobs.append(("checkpoint", read_checkpoint, options.flips))
        except ImportError:
            results.add("checkpoint", "skipped", "", "", "torch is not installed")
        for what, read, flips in jobs:
            noticed, harmless, unnoticed = count(folder / what.split()[-1], partial(read), flips, options.seed)
            note = f"{flips:,} flips: {noticed:,} noticed, {harmless:,} that change nothing that is read"
            results.add(f"bit flips in a {what}, unnoticed", str(unnoticed), "0", "", note)
    results.finish("stored-flips")


def _write_checkpoint(folder: Path) -> None:
    import torch

    from tumble.phyre.models.training import save_checkpoint

    network = {"layer.weight": torch.arange(1200.0).reshape(30, 40), "layer.bias": torch.zeros(30)}
    content = {"settings": {"updates": 2}, "data": {"tier": "B"}, "step": 2, "network": network}
    save_checkpoint(folder / "net.pt", content)


if __name__ == "__main__":
    main()
