"""Run logs of all benchmarks whose headers and rows name files, and all that is done with a log that somebody sent.

That is what `tumble runs list, show, verify, resume` (without --agent), `tumble report`, `tumble leaderboard build` and
the pages for watching do. Nothing of it may open or run what a log names.
"""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from fuzz_comphy_inputs import sample_questions
from fuzz_kind import Files, Kind, expect
from mutation import mutated_value
from names import NAMES, named_value

from tumble.benchmark import Benchmark, benchmark, no_progress, report_of
from tumble.comphy.dataset.question_files import write_questions
from tumble.errors import TumbleError
from tumble.leaderboard.build import rows_of, runs_of
from tumble.leaderboard.check import check_logs, single_entries
from tumble.runs.evaluate import resumable_spec, resume_run, spec_of
from tumble.runs.header import RunHeader
from tumble.runs.log import Log, chain_lines, open_log, read
from tumble.web.physics_queue import PhysicsQueue
from tumble.web.responses import WebError
from tumble.web.watch_entry import read_entry
from tumble.web.watch_index import CompactLog

BENCHMARKS = ("phyre", "phyq", "comphy")
Place = Callable[[str], dict[str, Any]]
_ANY: tuple[Place, ...] = (lambda name: {"agent": name},)
PLACES: dict[str, tuple[Place, ...]] = {
    "phyre": (
        *_ANY,
        lambda name: {"tasks": name},
        lambda name: {"store": name},
        lambda name: {"agent": "dqn", "settings": {"checkpoint": name, "loaded": True}},
        lambda name: {"agent": "dqn", "settings": {"pool": name, "pooled": True}},
    ),
    "phyq": (
        *_ANY,
        lambda name: {"setting": "levels", "only": [name]},
        lambda name: {"agent": "dqn", "settings": {"checkpoint": name}},
    ),
    "comphy": (*_ANY, lambda name: {"data": name}, lambda name: {"data": name, "agent": name}),
}
"""Fields of specifications that name files or folders."""


class _WouldRunError(TumbleError):
    """An agent would attempt tasks now."""


class UsedLogs(Kind):
    """Logs that are listed, shown, reported, replayed, watched, put on boards and resumed."""

    name, share, batch = "logs-in-use", 12, 40

    def prepare(self, folder: Path) -> None:
        self.logs = {name: self._log(name, folder / name) for name in BENCHMARKS}
        replays = {name: benchmark(name).replays() for name in BENCHMARKS}
        self.replays = {name: own for name, own in replays.items() if own is not None}

    def _log(self, name: str, folder: Path) -> list[dict[str, Any]]:
        """The lines of a small finished log of a benchmark, without their digests."""
        folder.mkdir()
        header, rows = _HEADERS[name](folder)
        with open_log(folder / "run.jsonl", header) as log:
            for task, own in rows.items():
                log.add_task(task, own)
            log._write([{"finished": len(rows)}])
        lines = (folder / "run.jsonl").read_bytes().splitlines()
        return [{key: value for key, value in json.loads(line).items() if key != "sha256"} for line in lines]

    def sound(self, rng: Random) -> Files:
        return {"run.jsonl": b""}

    def named(self, rng: Random, files: Files) -> Files:
        return self.make(rng)

    def make(self, rng: Random) -> Files:
        name = rng.choice(BENCHMARKS)
        lines = json.loads(json.dumps(self.logs[name]))
        head = lines[0]["header"]
        pick = rng.random()
        if pick < 0.3:  # a field that may name a file
            head["spec"] |= rng.choice(PLACES[name])(rng.choice(NAMES))
        elif pick < 0.6:
            lines[0]["header"] = named_value(rng, head)
        elif pick < 0.7:
            head["spec"]["settings"] = {rng.choice(("checkpoint", "pool", "model", "file")): rng.choice(NAMES)}
        elif pick < 0.8:
            head["agent_settings"] = {"checkpoint": rng.choice(NAMES), "pool": rng.choice(NAMES)}
            head["details"] = {"file": rng.choice(NAMES)}
        elif pick < 0.9:
            k = rng.randrange(1, len(lines))
            lines[k] = named_value(rng, lines[k])
        else:
            lines[0]["header"] = mutated_value(rng, head)
        if rng.random() < 0.3:
            lines.pop()  # it can be resumed
        try:
            return {"run.jsonl": chain_lines((json.dumps(line).encode() for line in lines), "")[0]}
        except (TypeError, ValueError):
            return {"run.jsonl": b"{}\n"}

    def use(self, folder: Path) -> None:
        log = read(folder / "run.jsonl")
        of = benchmark(log.header.benchmark)
        steps: list[Callable[[], object]] = [
            lambda: of.row(log),
            lambda: report_of(of, [log], 0, drawn=False),
            lambda: of.replay(log, lambda _: None),
            lambda: self._watch(folder, of, log),
            lambda: _board(folder / "run.jsonl"),
            lambda: self._resume(of, folder / "run.jsonl"),
        ]
        spec_of(log, of.spec)
        draw = Random((folder / "run.jsonl").read_bytes()[-80:])
        for step in draw.sample(steps, 2):  # all of them would take long
            try:
                step()
            except WebError as error:
                raise TumbleError(str(error)) from None

    def _watch(self, folder: Path, of: Benchmark, log: Log) -> None:
        """What the pages do: a list, a run, its attempts, and a replay of one."""
        entry = read_entry(folder / "run.jsonl", "run.jsonl", "0", self.replays)
        expect("\n" not in entry.problem, "a problem is not one line")
        replays = self.replays[of.name]
        compact = CompactLog(log)
        tasks = list(log.tasks)[:1]
        for task in tasks:
            rows = list(compact.rows(task)) if hasattr(compact, "rows") else log.tasks[task]
            replays.play_address(log.header, task)
            replays.group(task)
            replays.details(log.header, task, rows)
            if replays.script:
                with suppress(WebError):
                    replays.scene(log.header, task)
                asyncio.run(_replayed(replays, log.header, task, rows))

    def _resume(self, of: Benchmark, path: Path) -> None:
        """Resumes a log up to the agent's first attempt."""

        def evaluate(*_: Any) -> None:
            raise _WouldRunError("it would run now")

        resume_run(evaluate, resumable_spec(read(path), of.spec), path, no_progress, 1)


def _board(path: Path) -> None:
    """What a leaderboard does, without its figures and without running agents again."""
    entries, refusals = check_logs([path], False)
    entries, copies = single_entries(entries)
    rows_of(entries)
    runs_of(entries)
    for refusal in (*refusals, *copies):
        expect("\n" not in refusal.text, "a refusal is not one line")


async def _replayed(replays: Any, header: RunHeader, task: str, rows: Any) -> None:
    physics = PhysicsQueue()
    try:
        for row in rows[:1]:
            await replays.replay(physics, header, task, row)
    except (WebError, NotImplementedError):
        return
    finally:
        physics.close()


def _phyre(folder: Path) -> tuple[RunHeader, dict[str, list[dict[str, Any]]]]:
    from tumble.phyre.evaluation.run_spec import PhyreRunSpec
    from tumble.phyre.simulation.simulator import Simulator

    del folder
    spec = PhyreRunSpec("rand", "ball_cross_template", limit=1, attempts=2)
    tasks = spec.task_ids()
    actions = [[0.1, 0.9, 0.1], [0.9, 0.9, 0.1]]
    simulator = Simulator(spec.tasks_to_attempt(), spec.tier, threads=1)
    rows = {}
    for task in tasks:
        status, steps = simulator.outcomes([task] * 2, actions)
        rows[task] = [
            {"attempt": k + 1, "action": action, "status": int(status[k]), "steps": int(steps[k])}
            for k, action in enumerate(actions)
        ]
    return spec.header(), rows


def _phyq(folder: Path) -> tuple[RunHeader, dict[str, list[dict[str, Any]]]]:
    from tumble.phyq.benchmark import PHYQ
    from tumble.phyq.evaluation.run_spec import PhyQRunSpec

    spec = PhyQRunSpec("random", "broad", limit=1, attempts=1)
    log = PHYQ.run(spec, folder / "made", no_progress, 1)
    return log.header, _rows_of(log)


def _comphy(folder: Path) -> tuple[RunHeader, dict[str, list[dict[str, Any]]]]:
    """Answers to questions of a dataset that is no longer where it was."""
    from tumble.comphy.catalogue.task import task_id
    from tumble.comphy.evaluation.answer_key import questions_digest
    from tumble.comphy.simulation.simulator import physics_id

    sets = sample_questions(2)
    write_questions(folder / "questions.json", sets)
    header = RunHeader(
        benchmark="comphy",
        spec={"agent": "random", "data": "data", "split": "test", "settings": {}, "limit": None, "seed": 0},
        agent_settings={},
        digests={"agent_sha256": None, "train_sha256": None, "questions_sha256": questions_digest(sets)},
        task_count=2,
        physics=physics_id(),
        tumble_version="0",
        details={"question_count": sum(len(own.questions) for own in sets), "may_use": "tracks", "left_out": 0},
    )
    rows = {
        task_id(own.index): [
            {
                "attempt": question.id + 1,
                "action": [1.0] * max(1, len(question.choices)),
                "status": 1,
                "steps": 0,
                "answer": "yes",
                "kind": question.kind,
                "family": question.family,
            }
            for question in own.questions
        ]
        for own in sets
    }
    return header, rows


def _rows_of(log: Log) -> dict[str, list[dict[str, Any]]]:
    return {task: [{k: v for k, v in row.items() if k != "task"} for row in rows] for task, rows in log.tasks.items()}


_HEADERS: dict[str, Callable[[Path], tuple[RunHeader, dict[str, list[dict[str, Any]]]]]] = {
    "phyre": _phyre,
    "phyq": _phyq,
    "comphy": _comphy,
}
KINDS: tuple[Kind, ...] = (UsedLogs(),)
