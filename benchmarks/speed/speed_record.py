"""The engine's speed commit by commit, as ratios that do not depend on how fast the machine is.

    python benchmarks/speed/speed_record.py [--device cuda]      measure, compare with the record, append a row to it
    python benchmarks/speed/speed_record.py --dry-run            do not append

A figure is the amount of work done in the time of the yardstick (`yardstick.py`), both measured by turns in the same
run, the best of several: higher is faster. `tests/test_speed_record.py` fails where one falls far below its record.
The work must stay the same: a figure whose work changes gets a new name.
"""

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
from table import RESULTS, arguments, clock, device_name, say

from tumble import engine, phyq, phyre
from tumble.comphy.simulation.batch import WorldArrays, simulate_arrays
from tumble.phyre.simulation.actions import placed_balls, sample_valid
from tumble.phyre.simulation.attempt import build_ball_worlds, goal_rule
from tumble.progress import bar
from tumble.runs.header import machine
from tumble.scene.files import whole_file

RECORD = RESULTS / "speed-record.csv"
ROUNDS = 15
LATEST = 5
"""Rows of the record that a speed is compared with."""
B_TASKS = ("00000:000", "00004:003", "00007:000", "00013:007", "00016:000", "00021:004")
TWO_BALL_TASKS = ("00100:000", "00105:000", "00112:000", "00119:000")
LEVELS = ("1.1:000", "4.2:000", "8.1:000")
GPU_TIMES = 512
"""How many times the work of a core a GPU gets, so that it is filled and variants share their past."""


@dataclass(frozen=True)
class Work:
    """Something to repeat, and the number of things it does."""

    run: Callable[[], object]
    count: int


def _rollouts(task_ids: tuple[str, ...], per_task: int, device: str, share_past: bool) -> Work:
    tasks = [phyre.task(task_id) for task_id in task_ids]
    tier, rng = phyre.TIERS[tasks[0].tier], np.random.default_rng(3)
    each = per_task * (1 if device == "cpu" else GPU_TIMES)
    balls = placed_balls(np.concatenate([sample_valid(task.scene, tier, each, rng) for task in tasks]))
    of = np.repeat(np.arange(len(tasks)), each)
    worlds, rule = build_ball_worlds(tuple(task.scene for task in tasks), of, balls), goal_rule(tasks, of)
    options = engine.Options(device=device, threads=1, share_past=share_past)
    return Work(lambda: engine.rollout(worlds, rule, options), len(worlds))


def _phyre_b(device: str) -> Work:
    return _rollouts(B_TASKS, 10, device, share_past=True)


def _phyre_b_plain(device: str) -> Work:
    return _rollouts(B_TASKS, 8, device, share_past=False)


def _phyre_2b(device: str) -> Work:
    return _rollouts(TWO_BALL_TASKS, 8, device, share_past=True)


def _phyq(device: str) -> Work:
    simulator = phyq.Simulator(LEVELS, device=device, threads=1)
    shots = 2 * (1 if device == "cpu" else GPU_TIMES)
    level_of = np.repeat(np.arange(len(LEVELS)), shots)
    angles = np.tile(np.linspace(10.0, 60.0, shots), len(LEVELS))
    return Work(lambda: simulator.play(level_of, [[phyq.Shot(float(angle))] for angle in angles]), len(angles))


def _comphy(device: str) -> Work:
    count = 20 * (1 if device == "cpu" else GPU_TIMES)
    rng = np.random.default_rng(4)
    worlds = WorldArrays(
        counts=np.full(count, 4, np.int32),
        shapes=rng.integers(0, 3, (count, 4)).astype(np.int32),
        masses=rng.choice([1.0, 5.0], (count, 4)),
        charges=np.zeros((count, 4)),
        places=np.array([(-1.5, -1.5), (-1.5, 1.5), (1.5, -1.5), (1.5, 1.5)]) + rng.uniform(-0.3, 0.3, (count, 4, 2)),
        yaws=rng.uniform(0.0, 1.5, (count, 4)),
        velocities=rng.uniform(-1.5, 1.5, (count, 4, 2)),
    )
    return Work(lambda: simulate_arrays(worlds, 64, device=device, threads=1), count)


WORK: Mapping[str, Callable[[str], Work]] = {
    "phyre_b": _phyre_b,
    "phyre_b_plain": _phyre_b_plain,
    "phyre_2b": _phyre_2b,
    "phyq": _phyq,
    "comphy": _comphy,
}
"""Rollouts of one ball, with and without a shared past, and of two; shots until rest; worlds of 64 frames."""
FIELDS = ("commit", "date", "machine", "device", "yardstick_ms", *WORK)


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
    where = {"machine": machine(device_name(device)), "device": device.partition(":")[0]}
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


def main() -> None:
    given = arguments(__doc__, device="cpu", dry_run=False)
    speeds = measure(prepared(list(WORK), given.device), given.device)
    before = recorded(given.device.partition(":")[0], platform.machine())
    for name, speed in speeds.ratios.items():
        beside = f", {speed / before[name]:.2f} x the record of {before[name]:.4g}" if name in before else ""
        say(f"{name}: {speed:.4g} per yardstick{beside}")
    say(f"the yardstick takes {speeds.yardstick_ms:.1f} ms")
    if not given.dry_run:
        append(speeds, given.device)
        say(f"appended to {RECORD}")


if __name__ == "__main__":
    main()
