"""Extends a dataset of ComPhy, and compares it with one generated at once: every byte must be the same.

Also measures what generating without videos takes apart from simulation.

python benchmarks/comphy_extend.py                    100 sets extended to 200, without videos
python benchmarks/comphy_extend.py --sets 6 --extended 12
"""

import argparse
import time
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from table import Results

from tumble.comphy.catalogue.video_set import Family, VideoSet
from tumble.comphy.dataset.folder import verify
from tumble.comphy.generation import jobs
from tumble.comphy.generation.generate import extend, generate
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.simulation.simulator import physics_id

SEED = 1
SIMULATED = 12
"""Different sets that are simulated for the measurement without simulation."""


def file_digests(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest() for path in files}


def milliseconds_apart_from_simulation(folder: Path, sets: int) -> float:
    """CPU time per set of writing sets that are simulated before, asking questions about them, and finishing."""
    simulated = [make_set(index, seed=SEED) for index in range(SIMULATED)]

    def stored_set(index: int, family: Family, seed: int) -> VideoSet:
        return replace(simulated[index % SIMULATED], index=index)

    with patch.object(jobs, "make_set", stored_set):
        start = time.process_time()
        generate(folder, sets, SEED, video=False, workers=1)
        return 1000 * (time.process_time() - start) / sets


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--extended", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    results = Results(f"Extending a dataset of ComPhy, {physics_id()}")
    with TemporaryDirectory() as folder:
        grown, whole = Path(folder) / "grown", Path(folder) / "whole"
        generate(grown, args.sets, SEED, video=False, workers=args.workers)
        start = time.perf_counter()
        extend(grown, args.extended, workers=args.workers)
        extended = time.perf_counter()
        generate(grown, args.extended, SEED, video=False, workers=args.workers)
        checked = time.perf_counter()
        generate(whole, args.extended, SEED, video=False, workers=args.workers)
        ours, theirs = file_digests(grown), file_digests(whole)
        differing = [name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name)]
        note = f"{args.sets} sets extended to {args.extended}, {args.workers} workers, seed {SEED}; {len(theirs)} files"
        results.add("files that differ from those generated at once", f"{len(differing)}", "0", "", note)
        results.add("faults that verify finds", f"{len(verify(grown))}", "0", "", "")
        results.add("seconds to extend", f"{extended - start:.1f}", "", "", "generating and asking")
        results.add("ms to check a finished set", f"{1000 * (checked - extended) / args.extended:.2f}", "", "", "")
        spent = milliseconds_apart_from_simulation(Path(folder) / "stored", args.extended)
        note = f"{args.extended} sets without videos: text, compression, checksums, questions"
        results.add("ms of CPU per set apart from simulation", f"{spent:.0f}", "60", "", note)
    results.finish("comphy-extend")


if __name__ == "__main__":
    main()
