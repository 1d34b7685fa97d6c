"""The engine's speed commit by commit, as ratios that do not depend on how fast the machine is.

    python benchmarks/speed/speed_record.py                  measure, compare with the record, append a row to it
    python benchmarks/speed/speed_record.py --device cuda
    python benchmarks/speed/speed_record.py --dry-run        do not append

A figure is the amount of work done in the time of the yardstick (`yardstick.py`), both measured by turns in the same
run, the best of several: higher is faster. `tests/test_speed_record.py` fails where one falls far below its record.
"""

import argparse
import csv
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
import yardstick
from peers.peer import clock
from recorded_work import WORK, Work
from rich.console import Console
from table import RESULTS

from tumble.progress import bar
from tumble.runs.header import machine
from tumble.scene.files import whole_file

RECORD = RESULTS / "speed-record.csv"
FIELDS = ("commit", "date", "machine", "device", "yardstick_ms", *WORK)
ROUNDS = 15
LATEST = 5
"""Rows of the record that a speed is compared with."""


@dataclass(frozen=True)
class Speeds:
    """Work done per yardstick, by figure, and the milliseconds of the yardstick."""

    ratios: Mapping[str, float]
    yardstick_ms: float


def prepared(names: Sequence[str], device: str) -> dict[str, Work]:
    """The work of some figures."""
    return {name: WORK[name](device) for name in names}


def measure(works: Mapping[str, Work], device: str, rounds: int = ROUNDS) -> Speeds:
    """The speeds of some work; every round does the yardstick and each work once."""
    now = clock(device)

    def seconds(run: Callable[[], object]) -> float:
        start = now()
        run()
        return now() - start

    yardstick.work(device)
    for work in works.values():
        work.run()  # compiles
    best = dict.fromkeys(("", *works), np.inf)
    with bar("Measuring", rounds * len(works)) as advance:
        for _ in range(rounds):
            for name, work in works.items():
                best[""] = min(best[""], seconds(lambda: yardstick.work(device)))
                best[name] = min(best[name], seconds(work.run))
                advance(1)
    ratios = {name: work.count * best[""] / best[name] for name, work in works.items()}
    return Speeds(ratios, 1e3 * best[""])


def recorded(device: str, machine_words: str, path: Path = RECORD) -> dict[str, float]:
    """The median of each figure over the latest rows of a device and of machines whose description begins with these
    words; empty where there is none."""
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["device"] == device]
    rows = [row for row in rows if row["machine"].startswith(machine_words)]
    found = {}
    for name in WORK:
        values = [float(row[name]) for row in rows if row.get(name)][-LATEST:]
        if values:
            found[name] = float(np.median(values))
    return found


def slower_than(record: Mapping[str, float], speeds: Mapping[str, float], factor: float) -> dict[str, float]:
    """Figures below their record by more than a factor, with the factor by which they are."""
    shares = {name: record[name] / speed for name, speed in speeds.items() if name in record}
    return {name: share for name, share in shares.items() if share > factor}


def append(speeds: Speeds, device: str, path: Path = RECORD) -> None:
    """Adds a row to the record, which is written whole or not at all."""
    rows = []
    if path.exists():
        with path.open(newline="", encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
    ratios = {name: f"{ratio:.4g}" for name, ratio in speeds.ratios.items()}
    date = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M")
    where = {"machine": machine("" if device == "cpu" else _device_name(device)), "device": device.partition(":")[0]}
    rows.append({"commit": commit(), "date": date, **where, "yardstick_ms": f"{speeds.yardstick_ms:.2f}", **ratios})
    with whole_file(path) as partial, partial.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, FIELDS, restval="")
        writer.writeheader()
        writer.writerows(rows)


def commit() -> str:
    """The commit of the working tree; with a plus sign if it has changes."""

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=RESULTS.parent, capture_output=True, text=True)
        return done.stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", "../src")
    return (git("rev-parse", "--short=10", "HEAD") or "unknown") + ("+" if changed else "")


def _device_name(device: str) -> str:
    import warp as wp

    return str(wp.get_device(device).name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--dry-run", action="store_true", help="do not append to the record")
    arguments = parser.parse_args()
    speeds = measure(prepared(list(WORK), arguments.device), arguments.device)
    before = recorded(arguments.device.partition(":")[0], platform.machine())
    for name, speed in speeds.ratios.items():
        beside = f", {speed / before[name]:.2f} x the record of {before[name]:.4g}" if name in before else ""
        Console().print(f"{name}: {speed:.4g} per yardstick{beside}", highlight=False)
    Console().print(f"the yardstick takes {speeds.yardstick_ms:.1f} ms", highlight=False)
    if not arguments.dry_run:
        append(speeds, arguments.device)
        Console().print(f"appended to {RECORD}", highlight=False)


if __name__ == "__main__":
    main()
