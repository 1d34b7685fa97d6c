"""Run logs: JSON lines, finished logs, and logs in all that is done with what somebody sent.

That is what `tumble runs list, show, verify, resume` (without --agent), `tumble report`, `tumble leaderboard build` and
the pages for watching do. Nothing of it may open or run what a log names.
"""

import asyncio
import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from bomb_files import MOST, SIZES, json_texts
from comphy_formats import sample_questions
from formats import Bombs, Files, Format, expect, raw
from mutation import mutated_value
from names import NAMES, named_value

from tumble.benchmark import Benchmark, benchmark, no_progress, report_of
from tumble.comphy.catalogue.task import task_id
from tumble.comphy.evaluation.answer_key import questions_digest
from tumble.comphy.evaluation.run_spec import ComPhyRunSpec
from tumble.comphy.simulation.simulator import physics_id
from tumble.errors import TumbleError
from tumble.leaderboard.build import rows_of, runs_of
from tumble.leaderboard.check import check_logs, single_entries
from tumble.phyq.benchmark import PHYQ
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.simulation.simulator import Simulator
from tumble.runs.evaluate import resumable_spec, resume_run, spec_of
from tumble.runs.header import RunHeader
from tumble.runs.log import FORMAT, Log, chain_lines, encode_lines, open_log, pack_lines, read
from tumble.web.physics_queue import PhysicsQueue
from tumble.web.responses import WebError
from tumble.web.watch_entry import read_entry
from tumble.web.watch_index import CompactLog

TASKS = 4
BENCHMARKS = ("phyre", "phyq", "comphy")
Rows = dict[str, list[dict[str, Any]]]
Place = Callable[[str], dict[str, Any]]
PLACES: dict[str, tuple[Place, ...]] = {
    "phyre": (
        lambda name: {"agent": name},
        lambda name: {"tasks": name},
        lambda name: {"store": name},
        lambda name: {"agent": "dqn", "settings": {"checkpoint": name, "loaded": True}},
        lambda name: {"agent": "dqn", "settings": {"pool": name, "pooled": True}},
    ),
    "phyq": (
        lambda name: {"agent": name},
        lambda name: {"setting": "levels", "only": [name]},
        lambda name: {"agent": "dqn", "settings": {"checkpoint": name}},
    ),
    "comphy": (lambda name: {"agent": name}, lambda name: {"data": name}, lambda name: {"data": name, "agent": name}),
}
"""Fields of specifications that name files or folders."""


def header() -> RunHeader:
    """The header of a small run."""
    return RunHeader(
        benchmark="phyre",
        spec={"agent": "mem", "seed": 0},
        agent_settings={},
        columns={"action": "numbers", "steps": "whole?"},
        digests={},
        task_count=TASKS,
        physics="tumble-2d-1",
        tumble_version="0",
    )


def sample_log(path: Path) -> Log:
    """A log with some finished tasks of three attempts each."""
    with open_log(path, header()) as log:
        for k in range(TASKS):
            places = enumerate((-1, -1, 1))
            rows = [
                {"attempt": j + 1, "action": [0.1 * j, 0.25, 0.5], "status": status, "steps": 300 + k}
                for j, status in places
            ]
            log.add_task(f"0000{k}:000", rows)
        return log


def _check_log(log: Log, folder: Path) -> None:
    """Both ways of reading must agree."""
    brief = read(log.path, brief=True)
    expect(list(log.tasks) == list(brief.tasks), "brief reading gives other tasks")
    expect(log.finished == brief.finished, "brief reading gives another state")
    expect(log.valid_bytes <= log.path.stat().st_size, "more bytes are valid than there are")
    for rows in log.tasks.values():
        expect(isinstance(rows, list), "the rows of a task are no list")
        json.dumps(rows, allow_nan=False)


def _line_samples(folder: Path) -> list[Files]:
    sample_log(folder / "run.jsonl")
    return [{"run.jsonl": (folder / "run.jsonl").read_bytes()}]


def _chained(files: Files) -> Files:
    """The lines with the digests of what they became."""
    texts = []
    for line in raw(files, "run.jsonl").splitlines():
        value = json.loads(line)
        value.pop("sha256", None)
        texts.append(json.dumps(value).encode())
    return {"run.jsonl": chain_lines(texts, "")[0]}


def _head(**fields: Any) -> dict[str, Any]:
    """The first line of a log, with other fields of the header."""
    return {"format": FORMAT, "header": {**header().model_dump(mode="json"), **fields}}


def _many_rows(tasks: int) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Tasks with a hundred attempts at each, of 10,000 actions."""
    draws = np.random.default_rng(1)
    actions = draws.random((10_000, 6)).tolist()
    for k in range(tasks):
        places = enumerate(draws.integers(10_000, size=100).tolist())
        rows = [{"attempt": j + 1, "status": -1, "action": actions[at], "steps": at % 1000} for j, at in places]
        yield f"{k // 100:05d}:{k % 100:03d}", rows


def _largest_lines(_: Path) -> dict[str, bytes]:
    lines = [_head()]
    for index, (task, rows) in enumerate(_many_rows(500)):
        lines += [{"task": task, **row} for row in rows]
        lines.append({"task": task, "done": len(rows), "index": index, "given_up": ""})
    return {"run.jsonl": encode_lines([*lines, {"finished": 500}], "")[0]}


def _line_bombs(_: dict[str, bytes]) -> Bombs:
    head = json.dumps(_head()).encode()

    def chain(*lines: bytes) -> dict[str, bytes]:
        return {"run.jsonl": chain_lines(lines, "")[0]}

    for trick, text in json_texts(900_000):
        yield trick, chain(head, b'{"a":' + text + b"}")
        yield f"header: {trick}", chain(head[:-2] + b',"details":' + text + b"}}")
    row, done = b'{"task":"0","attempt":1,"action":[%b],"status":1,"steps":1}', b'{"task":"%x","done":0,"index":0%b}'
    yield "many rows", chain(head, *[row % b""] * 11_000)
    yield "many tasks", chain(head, *(done % (k, b"") for k in range(15_000)))
    yield "long actions", chain(head, row % (b"0," * 450_000 + b"0"))
    yield "counts", chain(head, *(done % (k, b',"counts":{"a":{"%x":1}}' % k) for k in range(11_000)))


FINISHED = "run.jsonl.gz"


def _finished_samples(folder: Path) -> list[Files]:
    log = sample_log(folder / "run.jsonl")
    log.finish()
    return [{FINISHED: log.path.read_bytes()}]


def _sealed_log(files: Files) -> Files:
    """The lines with the last line that fits them, if they can be unpacked."""
    try:
        lines = gzip.decompress(raw(files, FINISHED)).splitlines()
    except (OSError, EOFError, zlib.error):
        return files
    return {FINISHED: pack_lines(line for line in lines if not line.startswith(b'{"finished"'))}


def _largest_finished(_: Path) -> dict[str, bytes]:
    """All 2,500 tasks of a tier, a hundred attempts at each."""

    def by_column(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
        return {name: [row[name] for row in rows] for name in rows[0]}

    tasks = ({"task": task, "given_up": "", **by_column(rows)} for task, rows in _many_rows(2500))
    return {FINISHED: pack_lines(json.dumps(line).encode() for line in (_head(), *tasks))}


def _finished_bombs(_: dict[str, bytes]) -> Bombs:
    """Finished logs with fitting digests."""

    def packed(*lines: bytes, **fields: Any) -> dict[str, bytes]:
        return {FINISHED: pack_lines([json.dumps(_head(**fields)).encode(), *lines])}

    def task(count: int, action: str = "[]", task: str = "0") -> bytes:
        """The line of a task with equal attempts."""
        values = {"attempt": "1", "status": "1", "action": action, "steps": "1"}
        columns = (f'"{name}":[{",".join([value] * count)}]' for name, value in values.items())
        return f'{{"task":"{task}","given_up":"",{",".join(columns)}}}'.encode()

    for count in (100_000, 300_000, 1_000_000, 10_000_000):
        yield f"{count:,} equal attempts", packed(task(count))
    ones = b",".join([b"1"] * 100_000)
    few = (b'{"task":"%d","given_up":"","attempt":[%s],"status":[%s]}' % (k, ones, ones) for k in range(10))
    yield "a million attempts of few columns", packed(*few, columns={})
    yield "numbers in one action", packed(task(1, f"[{'0,' * 50_000_000}0]"))
    yield "numbers in many actions", packed(task(100_000, f"[{'0,' * 20}0]"))
    yield "tasks without attempts", packed(*(task(0, task=f"{k:x}") for k in range(150_000)))
    yield "many empty lines", packed(*[b""] * 20_000_000)
    yield "many columns", packed(columns={f"c{k}": "text" for k in range(200_000)})
    yield "a text of 500 MB", packed(b'{"task":"' + b"x" * 500_000_000 + b'"}')
    yield "zeros", {FINISHED: gzip.compress(bytes(500_000_000), 6, mtime=0)}
    for trick, text in json_texts(SIZES[0]):
        rows = packed(b'{"task":"0","given_up":"","attempt":' + text + b"}")
        head = {FINISHED: pack_lines([json.dumps(_head()).encode()[:-2] + b',"more":' + text + b"}}"])}
        for name, files in ((trick, rows), (f"header: {trick}", head)):
            if len(files[FINISHED]) <= MOST:
                yield name, files


class _WouldRunError(TumbleError):
    """An agent would attempt tasks now."""


def _used_samples(folder: Path) -> list[Files]:
    """A small finished log of each benchmark."""
    samples: list[Files] = []
    for name, make in (("phyre", _phyre), ("phyq", _phyq), ("comphy", _comphy)):
        (folder / name).mkdir()
        head, rows = make(folder / name)
        with open_log(folder / name / "run.jsonl", head) as log:
            for task, own in rows.items():
                log.add_task(task, own)
            log._write([{"finished": len(rows)}])
        samples.append({"run.jsonl": (folder / name / "run.jsonl").read_bytes()})
    return samples


def _used_log(rng: Random, samples: Sequence[Files]) -> Files:
    """A log whose header or rows name files."""
    lines = [json.loads(line) for line in raw(rng.choice(samples), "run.jsonl").splitlines()]
    head = lines[0]["header"]
    pick = rng.random()
    if pick < 0.3:  # a field that may name a file
        head["spec"] |= rng.choice(PLACES[head["benchmark"]])(rng.choice(NAMES))
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
        return _chained({"run.jsonl": b"\n".join(json.dumps(line).encode() for line in lines)})
    except (TypeError, ValueError):
        return {"run.jsonl": b"{}\n"}


def _use_log(log: Log, folder: Path) -> None:
    of = benchmark(log.header.benchmark)
    path = folder / "run.jsonl"
    steps: list[Callable[[], object]] = [
        lambda: of.row(log),
        lambda: report_of(of, [log], 0, drawn=False),
        lambda: of.replay(log, lambda _: None),
        lambda: _watch(folder, of, log),
        lambda: _board(path),
        lambda: _resume(of, path),
    ]
    spec_of(log, of.spec)
    for step in Random(path.read_bytes()[-80:]).sample(steps, 2):  # all of them would take long
        try:
            step()
        except WebError as error:
            raise TumbleError(str(error)) from None


def _watch(folder: Path, of: Benchmark, log: Log) -> None:
    """What the pages do: a list, a run, its attempts, and a replay of one."""
    replays = {name: own for name in BENCHMARKS if (own := benchmark(name).replays()) is not None}
    entry = read_entry(folder / "run.jsonl", "run.jsonl", "0", replays)
    expect("\n" not in entry.problem, "a problem is not one line")
    own, compact = replays[of.name], CompactLog(log)
    for task in list(log.tasks)[:1]:
        rows = list(compact.rows(task)) if hasattr(compact, "rows") else log.tasks[task]
        own.play_address(log.header, task)
        own.group(task)
        own.details(log.header, task, rows)
        if own.script:
            with suppress(WebError):
                own.scene(log.header, task)
            asyncio.run(_replayed(own, log.header, task, rows))


async def _replayed(replays: Any, head: RunHeader, task: str, rows: Any) -> None:
    physics = PhysicsQueue()
    try:
        for row in rows[:1]:
            await replays.replay(physics, head, task, row)
    except (WebError, NotImplementedError):
        return
    finally:
        physics.close()


def _board(path: Path) -> None:
    """What a leaderboard does, without its figures and without running agents again."""
    entries, refusals = check_logs([path], False)
    entries, copies = single_entries(entries)
    rows_of(entries)
    runs_of(entries)
    expect(not any("\n" in refusal.text for refusal in (*refusals, *copies)), "a refusal is not one line")


def _resume(of: Benchmark, path: Path) -> None:
    """Resumes a log up to the agent's first attempt."""

    def evaluate(*_: Any) -> None:
        raise _WouldRunError("it would run now")

    resume_run(evaluate, resumable_spec(read(path), of.spec), path, no_progress, 1)


def _phyre(_: Path) -> tuple[RunHeader, Rows]:
    spec = PhyreRunSpec("rand", "ball_cross_template", limit=1, attempts=2)
    actions = [[0.1, 0.9, 0.1], [0.9, 0.9, 0.1]]
    simulator, rows = Simulator(spec.tasks_to_attempt(), spec.tier, threads=1), {}
    for task in spec.task_ids():
        status, steps = simulator.outcomes([task] * 2, actions)
        rows[task] = [
            {"attempt": k + 1, "action": action, "status": int(status[k]), "steps": int(steps[k])}
            for k, action in enumerate(actions)
        ]
    return spec.header(), rows


def _phyq(folder: Path) -> tuple[RunHeader, Rows]:
    log = PHYQ.run(PhyQRunSpec("random", "broad", limit=1, attempts=1), folder / "made", no_progress, 1)
    return log.header, {
        task: [{k: v for k, v in row.items() if k != "task"} for row in log.tasks[task]] for task in log.tasks
    }


def _comphy(_: Path) -> tuple[RunHeader, Rows]:
    """Answers to questions of a dataset that is no longer where it was."""
    sets = sample_questions(2)
    spec = ComPhyRunSpec("random", "data")
    texts = {name: "" for name, kind in spec.columns().items() if kind == "text"}
    head = RunHeader(
        benchmark="comphy",
        spec={"agent": "random", "data": "data", "split": "test", "settings": {}, "limit": None, "seed": 0},
        agent_settings={},
        columns=dict(spec.columns()),
        digests={"agent_sha256": None, "train_sha256": None, "questions_sha256": questions_digest(sets)},
        task_count=2,
        physics=physics_id(),
        tumble_version="0",
        details={"question_count": sum(len(own.questions) for own in sets), "may_use": "tracks", "left_out": 0},
    )
    rows = {
        task_id(own.index): [
            {
                **texts,
                "attempt": question.id + 1,
                "status": 1,
                "correct": [True] * max(1, len(question.choices)),
                "kind": question.kind,
                "family": question.family,
                "answer": "yes",
            }
            for question in own.questions
        ]
        for own in sets
    }
    return head, rows


FORMATS: tuple[Format, ...] = (
    Format(
        "run-logs",
        "run.jsonl",
        read,
        _line_samples,
        _check_log,
        reseal=_chained,
        share=60,
        largest=_largest_lines,
        bombs=_line_bombs,
    ),
    Format(
        "finished-run-logs",
        FINISHED,
        read,
        _finished_samples,
        _check_log,
        reseal=_sealed_log,
        share=30,
        largest=_largest_finished,
        bombs=_finished_bombs,
    ),
    Format(
        "logs-in-use",
        "run.jsonl",
        read,
        _used_samples,
        _use_log,
        make=_used_log,
        named=lambda rng, files: _used_log(rng, [files]),
        share=12,
    ),
)
