"""How fast ComPhy's datasets are generated: sets and questions alone, and with videos.

python benchmarks/speed/comphy_generate.py                 100 sets each, with two workers
python benchmarks/speed/comphy_generate.py --sets 20
"""

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parents[1]))

from table import Results

from tumble.comphy.catalogue.task import KINDS
from tumble.comphy.dataset.folder import verify
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.dataset.question_files import option_counts
from tumble.comphy.generation.generate import generate
from tumble.comphy.simulation.simulator import physics_id

SIZE = (240, 160)
MAX_VIDEO_MINUTES = 6.0
"""For 100 sets."""
SEED = 1


def timed_generate(folder: Path, sets: int, video: bool, workers: int) -> float:
    """Seconds to generate a dataset, with questions and checksums."""
    start = time.perf_counter()
    generate(folder, sets, SEED, SIZE, video=video, workers=workers)
    return time.perf_counter() - start


def megabytes(folder: Path) -> float:
    """Size of all files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    sets, workers = args.sets, args.workers
    results = Results(f"ComPhy, {physics_id()}")
    with TemporaryDirectory() as folder:
        without_videos, with_videos = Path(folder) / "without", Path(folder) / "with"
        seconds = timed_generate(without_videos, sets, False, workers)
        note = f"{sets} sets, {workers} workers, seed {SEED}; {megabytes(without_videos) / sets:.1f} MB a set"
        results.add("sets/s without videos", f"{sets / seconds:.2f}", "1", "", note)
        start = time.perf_counter()
        questions = [example.questions for example in open_dataset(without_videos).examples()]
        results.add("sets/s read", f"{sets / (time.perf_counter() - start):.0f}", "", "", "annotations and questions")
        kinds = [question.kind for own in questions for question in own.questions]
        shares = ", ".join(f"{kind} {100 * kinds.count(kind) / len(kinds):.0f} %" for kind in KINDS)
        results.add("questions", f"{len(kinds)}", "", "", f"{shares}; options {option_counts(questions)}")
        seconds = timed_generate(with_videos, sets, True, workers)
        minutes = seconds / 60 * 100 / sets
        note = f"{sets} sets of {SIZE[0]}x{SIZE[1]}, {workers} workers; {megabytes(with_videos) / sets:.1f} MB a set"
        results.add("minutes for 100 sets with videos", f"{minutes:.1f}", f"{MAX_VIDEO_MINUTES:.0f}", "", note)
        start = time.perf_counter()
        faults = verify(with_videos)
        note = f"{len(faults)} faults; {megabytes(with_videos) / (time.perf_counter() - start):.0f} MB/s"
        results.add("seconds to verify them", f"{time.perf_counter() - start:.1f}", "", "", note)
    results.finish("comphy-generate")


if __name__ == "__main__":
    main()
