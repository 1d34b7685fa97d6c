"""How fast ComPhy's data is made: sets and questions alone, and with videos.

python benchmarks/comphy_generate.py                 100 sets each, on two cores
python benchmarks/comphy_generate.py --sets 20
"""

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from table import Results

from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.dataset.question_files import option_counts
from tumble.comphy.dataset.verify import verify
from tumble.comphy.generation.generate import generate
from tumble.comphy.simulation.simulator import physics_id
from tumble.comphy.tasks.question import KINDS

SIZE = (240, 160)
VIDEO_MINUTES = 6.0
"""For 100 sets, at most."""
SEED = 1


def made(folder: Path, sets: int, video: bool, workers: int) -> float:
    """Seconds for making a dataset, questions and checksums included."""
    start = time.perf_counter()
    generate(folder, sets, SEED, SIZE, video=video, workers=workers)
    return time.perf_counter() - start


def megabytes(folder: Path) -> float:
    """Of all files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    sets, workers = given.sets, given.workers
    results = Results(f"ComPhy, {physics_id()}")
    with TemporaryDirectory() as place:
        plain, whole = Path(place) / "plain", Path(place) / "whole"
        taken = made(plain, sets, False, workers)
        note = f"{sets} sets, {workers} workers, seed {SEED}; {megabytes(plain) / sets:.1f} MB a set"
        results.add("sets/s without videos", f"{sets / taken:.2f}", "1", "", note)
        start = time.perf_counter()
        asked = [example.questions for example in open_dataset(plain).examples()]
        results.add("sets/s read", f"{sets / (time.perf_counter() - start):.0f}", "", "", "annotations and questions")
        kinds = [question.kind for own in asked for question in own.questions]
        shares = ", ".join(f"{kind} {100 * kinds.count(kind) / len(kinds):.0f} %" for kind in KINDS)
        results.add("questions", f"{len(kinds)}", "", "", f"{shares}; options {option_counts(asked)}")
        taken = made(whole, sets, True, workers)
        minutes = taken / 60 * 100 / sets
        note = f"{sets} sets of {SIZE[0]}x{SIZE[1]}, {workers} workers; {megabytes(whole) / sets:.1f} MB a set"
        results.add("minutes for 100 sets with videos", f"{minutes:.1f}", f"{VIDEO_MINUTES:.0f}", "", note)
        start = time.perf_counter()
        faults = verify(whole)
        note = f"{len(faults)} faults; {megabytes(whole) / (time.perf_counter() - start):.0f} MB/s"
        results.add("seconds to verify them", f"{time.perf_counter() - start:.1f}", "", "", note)
    results.finish("comphy-generate")


if __name__ == "__main__":
    main()
