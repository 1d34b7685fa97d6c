"""Forges run logs with right digests: attempts, headers, and logs beside which an honest one must still be listed."""

import random
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from forged_headers import forged_headers, verdict
from typer.testing import CliRunner

from tumble.benchmark import benchmark
from tumble.cli.app import app
from tumble.comphy.evaluation.run_spec import ComPhyRunSpec
from tumble.comphy.generation.generate import generate
from tumble.errors import visible
from tumble.leaderboard.build import build_site
from tumble.leaderboard.check import check_logs
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyre.catalogue.tasks_by_id import task
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.simulation.actions import sample_valid
from tumble.runs.log import FINISHED_SUFFIX, Log, Row, read, write_finished
from tumble.runs.spec import RunSpec

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
    """A copy of a log's file in which one byte of its first half, behind the header of gzip, is another."""
    raw = bytearray(source.read_bytes())
    raw[draw.randrange(10, len(raw) // 2)] ^= 1 << draw.randrange(8)
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


USER_AGENT = """
from tumble.phyre.agents import Agent
from tumble.phyre.simulation.actions import fixed_set

class Mine(Agent):
    def __init__(self, count=5, seed=0):
        self.count, self.seed = count, seed

    def propose(self, task, past):
        return None if past else fixed_set(task.tier, self.count)
"""


def user_log(folder: Path) -> Path:
    """A log of an agent in a user's file, at two tasks of PHYRE."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mine.py").write_text(USER_AGENT)
    spec = PhyreRunSpec(f"{folder / 'mine.py'}:Mine", "ball_within_template", limit=2, attempts=3, store="none")
    return benchmark("phyre").run(spec, folder).path


def header_logs(folder: Path, with_comphy: bool = True) -> list[Path]:
    """Small logs of agents that are run again, and of some that are not."""
    phyre = PhyreRunSpec("rand", "ball_within_template", limit=2, attempts=5)
    specs: list[RunSpec] = [
        phyre,
        replace(phyre, agent="mem", settings={"ranked": 100}),
        replace(phyre, agent="optimal", settings={"ranked": 100}),
        PhyQRunSpec("random", "tasks", ("1.1", "2.1"), 2, limit=1),
        PhyQRunSpec("pig_shooter", "tasks", ("1.1", "2.1"), 2, limit=1),
    ]
    if with_comphy:
        generate(folder / "comphy", 3, 1, (48, 32), workers=1)
        specs += [ComPhyRunSpec(agent, str(folder / "comphy"), "test") for agent in ("oracle", "random")]
    return [user_log(folder), *(benchmark(spec.benchmark).run(spec, folder).path for spec in specs)]


def header_verdicts(paths: Sequence[Path], count: int, folder: Path) -> tuple[Counter[str], list[str]]:
    """Of forged headers, until there are `count` that the honest row does not show: what became of them; and those
    that are listed as proved."""
    honest, refused = check_logs(paths)
    assert not refused, refused[0].text
    entry_of = {entry.log.path: entry for entry in honest}
    verdicts: Counter[str] = Counter()
    proved = []
    folder.mkdir()
    for number, forged in enumerate(forged_headers([read(path) for path in paths])):
        path = folder / f"{number}{FINISHED_SUFFIX}"
        write_finished(forged.log, path)
        found = verdict(entry_of[forged.source.path], check_logs([path])[0])
        verdicts[found] += 1
        proved += [forged.kind] * (found == "proved")
        if verdicts.total() - verdicts["not shown"] == count:
            break
    return verdicts, proved


def stopped_by(paths: Sequence[Path], honest: Path, folder: Path) -> tuple[list[Path], int]:
    """The odd logs that keep an honest one from being listed or reported, and how many a leaderboard refuses."""
    refused = _listed(paths, honest, folder)
    if refused is not None and _reported(paths, honest, folder):
        return [], refused
    if len(paths) == 1:
        return list(paths), 0
    parts = [stopped_by(part, honest, folder) for part in (paths[: len(paths) // 2], paths[len(paths) // 2 :])]
    return [path for part, _ in parts for path in part], sum(count for _, count in parts)


def _listed(paths: Sequence[Path], honest: Path, folder: Path) -> int | None:
    """How many logs a leaderboard refuses; None if it does not list the honest one."""
    try:
        built = build_site([honest, *paths], folder / "site", copy_logs=True)
    except Exception:
        return None
    return len(built.refusals) if honest in {entry.log.path for entry in built.entries} else None


def _reported(paths: Sequence[Path], honest: Path, folder: Path) -> bool:
    """Whether reports, lists and tables of the logs are made, without a control character on the terminal."""
    places, outputs = [str(honest)], []
    for number, path in enumerate(paths):  # in a folder: a file that is named itself must be a log
        target = folder / "given" / f"{number}"
        target.mkdir(parents=True, exist_ok=True)
        (target / path.name).write_bytes(path.read_bytes())
    files = ["-o", str(folder / "report.html"), "--csv", str(folder / "csv"), "--latex", str(folder / "latex")]
    for command in (["report", *files, "--text"], ["runs", "list"]):
        result = CliRunner(env={"TERM": "dumb"}).invoke(app, [*command, *places, str(folder / "given")])
        if result.exit_code or result.exception:
            return False
        outputs.append(result.output)
    shutil.rmtree(folder / "given")
    return all(visible(output, kept="\n") == output for output in outputs)
