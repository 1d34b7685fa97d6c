"""Changes one action in each of 100 run logs and counts how many of them a leaderboard refuses.

    python benchmarks/leaderboard_forged.py
    python benchmarks/leaderboard_forged.py --logs 10

The digests of the log are computed again after the change, so that only a replay can detect it. Kinds:

- results kept, solving attempt: another action in place of one that solved its task, which keeps its result;
- results kept, any attempt: another action in place of any one, which keeps its result;
- counted as solved: a failed attempt that is said to have solved its task;
- task left out: a task that was not solved is removed;
- bytes only: an action changed, the digests left as they were.

Small logs of several agents and seeds are made first (half of PHYRE, half of Phy-Q), and must all be listed. "Replay
only" is `tumble leaderboard build --no-rerun`: where agents, as those of users, can't be run again.
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from table import Results

from tumble.benchmark import benchmark
from tumble.leaderboard.check import check_logs
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.simulation.actions import sample_valid
from tumble.phyre.tasks.catalogue import task
from tumble.runs import archive
from tumble.runs.log import FORMAT, Log, Row, read
from tumble.runs.run_spec import RunSpec

SOLVED = 1
"""The status of a solved task, or of a level that was won, in the logs of both."""


def small_specs(seeds: int) -> list[RunSpec]:
    """Runs with few tasks, in which some attempts succeed (not with every seed) and some fail."""
    phyre = [
        PhyreRunSpec("rand", "ball_within_template", limit=10, attempts=20, seed=seed, store="none")
        for seed in range(seeds)
    ]
    phyq = [PhyQRunSpec("random", "tasks", ("1.1", "1.2", "2.1"), 4, limit=2, seed=seed) for seed in range(seeds)]
    return [*phyre, *phyq]


def write_forged(log: Log, path: Path) -> None:
    """Writes a log as `Log.finish` does, with right digests."""
    header = log.header.model_dump(mode="json")
    archive.write(path, {"format": FORMAT, "header": header, "tasks": list(log.tasks), "given_up": {}}, log.rows())


def other_action(log: Log, row: Row, draw: random.Random) -> list[float]:
    """A valid action other than that of a row."""
    if log.header.benchmark == "phyre":
        one = task(row["task"])
        (action,) = sample_valid(one.scene, one.tier, 1, np.random.default_rng(draw.getrandbits(32)))
        return [float(number) for number in action]
    angle, *rest = row["action"]
    shift = draw.choice((-1.0, 1.0)) * draw.uniform(0.5, 20.0)
    return [angle + shift if abs(angle + shift) <= 180.0 else angle - shift, *rest]


def change(log: Log, draw: random.Random, of_status: Callable[[int], bool], claim: int | None = None) -> Log:
    """The log with another action in one attempt, which keeps its result or claims another."""
    places = [(name, k) for name, rows in log.tasks.items() for k, row in enumerate(rows) if of_status(row["status"])]
    name, k = draw.choice(places)
    rows = [dict(row) for row in log.tasks[name]]
    rows[k]["action"] = other_action(log, rows[k], draw)
    if claim is not None:
        rows[k]["status"] = claim
        rows = rows[: k + 1] if log.header.benchmark == "phyre" else rows
    return replace(log, tasks={**log.tasks, name: rows})


def keep_solving(log: Log, draw: random.Random) -> Log:
    return change(log, draw, lambda status: status == SOLVED)


def keep_any(log: Log, draw: random.Random) -> Log:
    return change(log, draw, lambda _: True)


def claim_solved(log: Log, draw: random.Random) -> Log:
    return change(log, draw, lambda status: status != SOLVED, SOLVED)


def leave_out(log: Log, draw: random.Random) -> Log:
    """The log without a task that was not solved."""
    hard = [name for name, rows in log.tasks.items() if all(row["status"] != SOLVED for row in rows)]
    left_out = draw.choice(hard)
    return replace(log, tasks={name: rows for name, rows in log.tasks.items() if name != left_out})


def change_bytes(source: Path, target: Path, draw: random.Random) -> None:
    """A copy of a log's file in which one byte of its first half, where the columns are, is another."""
    raw = bytearray(source.read_bytes())
    raw[draw.randrange(8, len(raw) // 2)] ^= 1 << draw.randrange(8)
    target.write_bytes(bytes(raw))


def make_logs(folder: Path, seeds: int) -> list[Path]:
    """The logs of `small_specs`."""
    return [benchmark(spec.benchmark).run(spec, folder).path for spec in small_specs(seeds)]


KINDS: dict[str, Callable[[Log, random.Random], Log]] = {
    "results kept, solving attempt": keep_solving,
    "results kept, any attempt": keep_any,
    "counted as solved": claim_solved,
    "task left out": leave_out,
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--logs", type=int, default=100)
    options = parser.parse_args()
    results = Results("Leaderboard: logs with one changed action")
    folder = Path(tempfile.mkdtemp(prefix="forged-"))
    paths = make_logs(folder / "honest", max(1, options.logs // 20))
    honest, refused = check_logs(paths)
    results.add("honest logs listed", f"{len(honest)} of {len(paths)}", f"{len(paths)} of {len(paths)}")
    wrong = bool(refused)
    paths = [path for path in paths if any(row["status"] == SOLVED for row in read(path).rows())]
    forge_all = [*KINDS, "bytes only"]
    for name in forge_all:
        draw = random.Random(name)
        target = folder / name.replace(" ", "-").replace(",", "")
        target.mkdir()
        for number in range(options.logs):
            source, file = paths[number % len(paths)], target / f"{number:03d}.parquet"
            if name == "bytes only":
                change_bytes(source, file, draw)
            else:
                write_forged(KINDS[name](read(source), draw), file)
        for rerun in (True, False) if name in KINDS else (True,):
            start = time.monotonic()
            listed, refused = check_logs([target], rerun)
            must = f"{options.logs} of {options.logs}"
            is_must = rerun or not name.startswith("results kept")  # another action may have the same result
            label = name if rerun else f"{name}, replay only"
            results.add(
                f"refused: {label}",
                f"{len(refused)} of {options.logs}",
                must if is_must else "",
                "",
                f"{time.monotonic() - start:.0f} s; first: {refused[0].text.rpartition('/')[2] if refused else '-'}",
            )
            wrong |= is_must and bool(listed)
    results.finish("leaderboard-forged")
    shutil.rmtree(folder)
    sys.exit(wrong)


if __name__ == "__main__":
    main()
