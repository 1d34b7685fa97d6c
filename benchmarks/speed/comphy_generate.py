"""How fast ComPhy's datasets are generated: sets and questions alone, and with videos.

python benchmarks/speed/comphy_generate.py [--sets 100] [--workers 2]
"""

import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parents[1]))

from table import Results, arguments, timed

from tumble.comphy.dataset.folder import verify
from tumble.comphy.generation.generate import generate
from tumble.comphy.simulation.simulator import physics_id

SIZE = (240, 160)
SEED = 1


def megabytes(folder: Path) -> float:
    """Size of all files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def main() -> None:
    given = arguments(__doc__, sets=100, workers=2)
    results = Results(f"ComPhy, {physics_id()}")
    with TemporaryDirectory() as name:
        without, with_videos = Path(name) / "without", Path(name) / "with"
        seconds, _ = timed(partial(generate, without, given.sets, SEED, SIZE, video=False, workers=given.workers))
        note = (
            f"{given.sets} sets, {given.workers} workers, seed {SEED}; {megabytes(without) / given.sets:.1f} MB a set"
        )
        results.add("sets/s without videos", f"{given.sets / seconds:.2f}", "1", "", note)
        seconds, _ = timed(partial(generate, with_videos, given.sets, SEED, SIZE, video=True, workers=given.workers))
        note = f"{given.sets} sets of {SIZE[0]}x{SIZE[1]}; {megabytes(with_videos) / given.sets:.1f} MB a set"
        minutes = f"{seconds / 60 * 100 / given.sets:.1f}"
        results.add("minutes for 100 sets with videos", minutes, "6", "", note)
        seconds, faults = timed(partial(verify, with_videos))
        results.add("seconds to verify them", f"{seconds:.1f}", note=f"{len(faults)} faults")
    results.finish("comphy-generate")


if __name__ == "__main__":
    main()
