"""Run logs: JSON lines, finished archives, and logs in all that is done with what somebody sent.

That is what `tumble runs list, show, verify, resume` (without --agent), `tumble report`, `tumble leaderboard build` and
the pages for watching do. Nothing of it may open or run what a log names.
"""

import asyncio
import base64
import json
import struct
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from bomb_files import Tricks, json_texts, repeated
from comphy_formats import sample_questions
from formats import Bombs, Files, Format, expect, raw
from mutation import mutated_value
from names import NAMES, named_value

from tumble.benchmark import Benchmark, benchmark, no_progress, report_of
from tumble.comphy.catalogue.task import task_id
from tumble.comphy.evaluation.answer_key import questions_digest
from tumble.comphy.simulation.simulator import physics_id
from tumble.errors import TumbleError
from tumble.leaderboard.build import rows_of, runs_of
from tumble.leaderboard.check import check_logs, single_entries
from tumble.phyq.benchmark import PHYQ
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.simulation.simulator import Simulator
from tumble.runs import archive
from tumble.runs.archive import DIGEST_KEY, KEY, with_digest
from tumble.runs.evaluate import resumable_spec, resume_run, spec_of
from tumble.runs.header import RunHeader
from tumble.runs.log import FORMAT, Log, chain_lines, encode_lines, open_log, read
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


def _meta(tasks: int) -> dict[str, Any]:
    ids = [f"{k // 100:05d}:{k % 100:03d}" for k in range(tasks)]
    return {"format": FORMAT, "header": header().model_dump(mode="json"), "tasks": ids, "given_up": {}}


def _many_rows(tasks: int) -> Iterator[dict[str, Any]]:
    """A hundred attempts at each task, of 10,000 actions."""
    draws = np.random.default_rng(1)
    actions = draws.random((10_000, 6)).tolist()
    for task in _meta(tasks)["tasks"]:
        for k, action in enumerate(draws.integers(10_000, size=100)):
            yield {"task": task, "attempt": k + 1, "action": actions[action], "status": -1, "steps": int(action) % 1000}


def _largest_lines(_: Path) -> dict[str, bytes]:
    meta = _meta(500)
    rows: list[dict[str, Any]] = [{"format": meta["format"], "header": meta["header"]}]
    for k, row in enumerate(_many_rows(500)):
        rows.append(row)
        if k % 100 == 99:
            rows.append({"task": row["task"], "done": 100, "index": k // 100, "given_up": ""})
    return {"run.jsonl": encode_lines([*rows, {"finished": 500}], "")[0]}


def _line_bombs(_: dict[str, bytes]) -> Bombs:
    meta = _meta(1)
    head = json.dumps({"format": meta["format"], "header": meta["header"]}).encode()

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


def _archive_samples(folder: Path) -> list[Files]:
    log = sample_log(folder / "run.jsonl")
    log.finish()
    return [{"run.parquet": log.path.read_bytes()}]


def _sealed_archive(files: Files) -> Files:
    data = raw(files, "run.parquet")
    return {"run.parquet": with_digest(data)} if DIGEST_KEY in data else files


@cache
def _archived() -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What a small archive is written from."""
    with tempfile.TemporaryDirectory() as name:
        log = sample_log(Path(name) / "run.jsonl")
        rows = [{**row, "answer": "yes"} for row in log.rows()]
        return {**_meta(0), "tasks": list(log.tasks), "given_up": {"00000:000": "x"}}, rows


def _named_archive(rng: Random, _: Files) -> Files:
    meta, rows = _archived()
    if rng.random() < 0.5:
        meta = named_value(rng, meta)
    else:
        rows = [named_value(rng, row) for row in rows]
    with tempfile.TemporaryDirectory() as name:
        archive.write(Path(name) / "run.parquet", meta, rows)
        return {"run.parquet": (Path(name) / "run.parquet").read_bytes()}


def _largest_archive(folder: Path) -> dict[str, bytes]:
    """All 2,500 tasks of a tier, a hundred attempts at each."""
    archive.write(folder / "run.parquet", _meta(2500), _many_rows(2500))
    return {"run.parquet": (folder / "run.parquet").read_bytes()}


def _archive_bombs(_: dict[str, bytes]) -> Bombs:
    for trick, file in archives(_meta(1)):
        yield trick, {"run.parquet": file}


def archives(meta: dict[str, Any]) -> Tricks:
    """Finished run logs as Parquet, with the schema of logs and a fitting digest, unless the trick is in these."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {"task": pa.string(), "attempt": pa.int32(), "action": pa.list_(pa.float64())}
    kinds |= {"status": pa.int8(), "steps": pa.int32()}

    def same(value: Any, rows: int, kind: Any) -> Any:
        return pa.array([value] * min(rows, 1), kind).take(pa.array(np.zeros(rows, np.int64)))

    def file(rows: int, texts: Any = None, action: Any = None, groups: int = 1, head: bytes = b"", **how: Any) -> bytes:
        values = {"task": "00000:000", "attempt": 1, "action": [], "status": 1, "steps": 1}
        columns = {name: same(values[name], rows, kind) for name, kind in kinds.items()} | (texts or {})
        columns["action"] = columns["action"] if action is None else action
        said = pa.schema([*kinds.items(), *((name, pa.string()) for name in texts or {})])
        table = pa.table(columns)  # its texts may be indices of a dictionary, which the file does not say
        sink = pa.BufferOutputStream()
        how = {"compression": "zstd", "compression_level": 9, "store_schema": False, **how}
        with pq.ParquetWriter(sink, table.schema, **how) as writer:
            for _ in range(groups):
                writer.write_table(table)
            writer.add_key_value_metadata({b"ARROW:schema": base64.b64encode(said.serialize().to_pybytes())})
            writer.add_key_value_metadata({KEY: head or json.dumps(meta).encode(), DIGEST_KEY: b"0" * 64})
        return bytes(with_digest(sink.getvalue().to_pybytes()))

    def text(value: str, rows: int) -> Any:
        return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([value]))

    def zeros(lists: int, numbers: int) -> Any:
        ends = pa.array(np.arange(lists + 1, dtype=np.int32) * numbers)
        return pa.ListArray.from_arrays(ends, pa.array(np.zeros(lists * numbers)))

    for rows in (300_000, 1_000_000, 10_000_000):
        yield f"{rows:,} equal rows", file(rows)
    yield "numbers in one row", file(1, action=zeros(1, 50_000_000))
    yield "numbers in many rows", file(300_000, action=zeros(300_000, 20))
    yield "numbers in the most rows", file(300_000, action=zeros(300_000, 100))
    yield "a text repeated by the dictionary", file(200_000, {"answer": text("x" * 60_000, 200_000)})
    many = {f"t{k}": text("x" * 100, 100_000) for k in range(50)}
    yield "a short text in many columns", file(100_000, many)
    plain = {"use_dictionary": False}
    long = {"answer": pa.array(["x" * 500_000_000])}
    yield "a text of 500 MB", file(1, long, write_statistics=False, **plain)
    alike = {"answer": text("x" * 60_000, 3000).cast(pa.string())}
    yield "texts with equal beginnings", file(3000, alike, column_encoding={"answer": "DELTA_BYTE_ARRAY"}, **plain)
    yield "packed by gzip", file(3_000_000, compression="gzip", compression_level=None)
    yield "groups of rows", file(0, groups=700)
    yield "groups of one row", file(1, groups=600)
    yield "columns", file(0, {f"t{k}": pa.array([], pa.string()) for k in range(1500)})
    for name, head in json_texts(900_000):
        yield f"header: {name}", file(1, head=head)
    before, after = json.dumps({**meta, "tasks": "@"}).encode().split(b'"@"')
    yield "header: tasks", file(1, head=repeated(before + b"[", b'"",', b'""]' + after, 900_000))
    say_less = file(1_000_000).replace(struct.pack("<I", 1_000_000), struct.pack("<I", 10))
    yield "pages that say less", with_digest(say_less)


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
    head = RunHeader(
        benchmark="comphy",
        spec={"agent": "random", "data": "data", "split": "test", "settings": {}, "limit": None, "seed": 0},
        agent_settings={},
        digests={"agent_sha256": None, "train_sha256": None, "questions_sha256": questions_digest(sets)},
        task_count=2,
        physics=physics_id(),
        tumble_version="0",
        details={"question_count": sum(len(own.questions) for own in sets), "may_use": "tracks", "left_out": 0},
    )
    row = {"status": 1, "steps": 0, "answer": "yes"}
    rows = {
        task_id(own.index): [
            {
                **row,
                "attempt": question.id + 1,
                "action": [1.0] * max(1, len(question.choices)),
                "kind": question.kind,
                "family": question.family,
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
        "run-archives",
        "run.parquet",
        read,
        _archive_samples,
        _check_log,
        named=_named_archive,
        reseal=_sealed_archive,
        needs=("pyarrow",),
        share=30,
        largest=_largest_archive,
        bombs=_archive_bombs,
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
