"""Bit flips in finished run logs and in stored data: how many change what is read unnoticed? None may.

    python benchmarks/robustness/bit_flips.py [--flips 5000]

A short run of each benchmark is finished, and its log also written as the JSON lines that it was before; a ComPhy
dataset (annotations, questions, settings, checksums; a tenth of the flips), a PHYRE sweep store and a DQN checkpoint
are made. Then one random bit at a time is flipped, and everything is read as every command reads it. A flip is noticed
if reading fails, or if a log is read as unfinished; harmless if what is read is the same as before; and unnoticed
otherwise.
"""

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))
sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "fuzzing"))

import numpy as np
from phyre_formats import sample_store
from table import Results, arguments

from tumble.benchmark import benchmark
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.evaluation.run_spec import ComPhyRunSpec
from tumble.comphy.generation.generate import generate
from tumble.errors import TumbleError
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.simulation.sweep_files import open_store
from tumble.runs.log import FINISHED_SUFFIX, SUFFIX, Log, encode_lines, open_log, read

Read = Callable[[Path], Any]
"""Everything that a file or folder holds, in a form that can be compared."""


def read_log(path: Path) -> Any:
    log = read(path)
    if not log.finished:
        raise TumbleError("it is unfinished")
    return log.header, log.tasks, log.given_up, benchmark(log.header.benchmark).result(log).summary


def read_dataset(folder: Path) -> Any:
    data = open_dataset(folder)
    content: list[Any] = []
    for example in data.examples():
        videos = example.videos
        motions = [videos.target, *(reference.motion for reference in videos.references), *videos.altered.values()]
        names = ("positions", "orientations", "velocities", "angular_velocities", "in_view")
        arrays = [getattr(motion, name).tobytes() for motion in motions for name in names]
        about = (videos.bodies, videos.family, videos.seed, [reference.members for reference in videos.references])
        content.append((example.questions, about, arrays, [one.collisions for one in motions], list(videos.altered)))
    if data.faults:
        raise TumbleError(str(data.faults[0]))
    return data.settings, data.physics_id, content


def read_store(folder: Path) -> Any:
    store = open_store(folder)
    return store.contents, store.actions.tobytes(), store.statuses().tobytes()


def read_checkpoint(path: Path) -> Any:
    from tumble.learning.checkpoint import load_network

    content = load_network(path, "dqn")
    return content, {name: weights.numpy().tobytes() for name, weights in content.pop("network").items()}


def flip(place: Path, read_all: Read, flips: int, rng: Random) -> Counter[str]:
    """Flips bits of the files of a place one at a time; the number of flips by what reading then did."""
    files = sorted(path for path in place.rglob("*") if path.is_file()) or [place]
    sizes = np.cumsum([path.stat().st_size for path in files])
    expected, counts = read_all(place), Counter[str](noticed=0, harmless=0, unnoticed=0)
    for _ in range(flips):
        # Half of the flips are spread over files, so that small ones have their share; half over bytes.
        k = rng.randrange(len(files))
        if rng.random() < 0.5:
            k = int(np.searchsorted(sizes, rng.randrange(sizes[-1]), "right"))
        raw = files[k].read_bytes()
        at, bit = rng.randrange(len(raw)), 1 << rng.randrange(8)
        files[k].write_bytes(raw[:at] + bytes([raw[at] ^ bit]) + raw[at + 1 :])
        try:
            counts["harmless" if read_all(place) == expected else "unnoticed"] += 1
        except TumbleError:
            counts["noticed"] += 1
        files[k].write_bytes(raw)
    return counts


def logs(folder: Path, suffix: str) -> list[Path]:
    """Finished logs of short runs, one of each benchmark."""
    specs = [
        PhyreRunSpec("mem", "ball_within_template", limit=40),
        PhyQRunSpec("random", only=("1.4", "3.4"), limit=4, attempts=5),
        ComPhyRunSpec("random", str(folder / "dataset"), split="train"),
    ]
    found = [benchmark(spec.benchmark).run(spec, folder / "finished") for spec in specs]
    return [log.path if suffix == FINISHED_SUFFIX else as_lines(log, folder / "lines") for log in found]


def as_lines(log: Log, folder: Path) -> Path:
    """The JSON lines of a finished log."""
    path = folder / (log.path.name.removesuffix(FINISHED_SUFFIX) + SUFFIX)
    with open_log(path, log.header) as lines:
        for task, rows in log.tasks.items():
            lines.add_task(task, rows, log.given_up.get(task, ""))
    with path.open("ab") as stream:
        stream.write(encode_lines([{"finished": len(log.tasks)}], lines.last_digest)[0])
    return path


def write_checkpoint(path: Path) -> None:
    import torch

    from tumble.learning.checkpoint import write_checkpoint as write

    network = {"layer.weight": torch.arange(1200.0).reshape(30, 40), "layer.bias": torch.zeros(30)}
    made = {"name": "dqn", "config": {"updates": 2}, "seed": 0, "data": "B", "budget": {"steps": 2}}
    write(path, {**made, "network": network, "extra": {}, "step": 2, "seconds": 1.0, "finished": True})


def main() -> None:
    given = arguments(__doc__, flips=5000, seed=0)
    results, rng = Results("Bit flips in finished run logs and in stored data"), Random(given.seed)
    with TemporaryDirectory() as name:
        folder = Path(name)
        generate(folder / "dataset", 12, 1, video=False, workers=1)
        sample_store(folder / "store")
        write_checkpoint(folder / "net.pt")
        jobs: list[tuple[str, list[Path], Read, int]] = [
            ("finished log", logs(folder, FINISHED_SUFFIX), read_log, given.flips),
            ("log of JSON lines", logs(folder, SUFFIX), read_log, given.flips),
            ("dataset", [folder / "dataset"], read_dataset, given.flips // 10),
            ("sweep store", [folder / "store"], read_store, given.flips),
            ("checkpoint", [folder / "net.pt"], read_checkpoint, given.flips),
        ]
        for what, places, read_all, flips in jobs:
            parts = [flip(place, read_all, -(-flips // len(places)), rng) for place in places]
            counts = sum(parts, Counter[str]())
            note = f"{counts['noticed']:,} noticed, {counts['harmless']:,} that change nothing that is read"
            value = f"{counts['unnoticed']} of {counts.total():,}"
            results.add(f"bit flips in a {what}, unnoticed", value, "0", "", note)
    results.finish("bit-flips")


if __name__ == "__main__":
    main()
