"""Bit flips in finished run logs: how many change a score unnoticed? None may.

    python benchmarks/robustness/bit_flips.py                 5,000 flips in Parquet, and 5,000 in JSON lines
    python benchmarks/robustness/bit_flips.py --flips 500

A short run of each benchmark is finished in both formats. Then one random bit at a time is flipped, and the log is read
as every command reads it. The flip is noticed if reading fails, or if the log is read as unfinished.
"""

import argparse
import random
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

sys.path.append(str(Path(__file__).parents[1]))

from table import Results

from tumble.benchmark import benchmark
from tumble.comphy.evaluation.run_spec import ComPhyRunSpec
from tumble.comphy.generation.generate import generate
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.runs import archive
from tumble.runs.log import Log, LogError, read
from tumble.runs.spec import RunSpec

FORMATS = {"Parquet": archive.SUFFIX, "JSON lines": ".jsonl"}
SETS = 12


def specs(folder: Path) -> list[RunSpec]:
    """Short runs, one of each benchmark."""
    generate(folder / "data", SETS, 1, video=False, workers=1)
    return [
        PhyreRunSpec("mem", "ball_within_template", limit=40),
        PhyQRunSpec("random", only=("1.4", "3.4"), limit=4, attempts=5),
        ComPhyRunSpec("random", str(folder / "data"), split="train"),
    ]


def finished_log(spec: RunSpec, folder: Path, suffix: str) -> Log:
    """The finished log of a run in a format."""
    if suffix == archive.SUFFIX:
        return benchmark(spec.benchmark).run(spec, folder / "parquet")
    with patch.object(archive, "write", side_effect=ImportError):
        return benchmark(spec.benchmark).run(spec, folder / "lines")


def content(log: Log) -> tuple[object, ...]:
    """What a flip may not change."""
    return log.header, log.tasks, log.given_up, benchmark(log.header.benchmark).result(log).summary


def flip_bits(log: Log, count: int, draws: random.Random) -> dict[str, int]:
    """Flips bits of a log one at a time; the number of flips by what reading it then did."""
    raw, expected = log.path.read_bytes(), content(log)
    counts = {"refused": 0, "unfinished": 0, "unnoticed": 0, "changed": 0}
    for _ in range(count):
        place = draws.randrange(len(raw))
        log.path.write_bytes(raw[:place] + bytes([raw[place] ^ 1 << draws.randrange(8)]) + raw[place + 1 :])
        try:
            found = read(log.path)
        except LogError:
            counts["refused"] += 1
            continue
        if not found.finished:
            counts["unfinished"] += 1
        elif content(found) == expected:
            counts["unnoticed"] += 1
        else:
            counts["changed"] += 1
    log.path.write_bytes(raw)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flips", type=int, default=5000, help="in each format, over all benchmarks")
    flips = parser.parse_args().flips
    results = Results("Bit flips in finished run logs")
    draws = random.Random(1)
    with TemporaryDirectory() as name:
        runs = specs(Path(name))
        for title, suffix in FORMATS.items():
            totals: dict[str, int] = {}
            sizes = []
            for number, spec in enumerate(runs):
                log = finished_log(spec, Path(name), suffix)
                assert log.path.suffix == suffix
                sizes.append(f"{spec.benchmark} {log.path.stat().st_size:,} bytes")
                share = flips // len(runs) + (number < flips % len(runs))
                for outcome, count in flip_bits(log, share, draws).items():
                    totals[outcome] = totals.get(outcome, 0) + count
            note = f"{totals['refused']:,} refused, {totals['unfinished']} read as unfinished; {', '.join(sizes)}"
            changed = f"{totals['changed']} of {flips:,}"
            results.add(f"{title}: flips that change a score or a row unnoticed", changed, f"0 of {flips:,}", "", note)
            results.add(f"{title}: flips that change nothing unnoticed", f"{totals['unnoticed']} of {flips:,}")
    results.finish("bit-flips")


if __name__ == "__main__":
    main()
