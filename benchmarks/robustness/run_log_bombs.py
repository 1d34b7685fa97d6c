"""Run logs: honest ones, and bombs."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from robustness.bomb_files import MOST, SIZES, Content, gz, json_texts
from robustness.reader import Reader


def _head(**fields: Any) -> dict[str, Any]:
    from fuzzing.run_logs import header

    from tumble.runs.log import FORMAT

    return {"format": FORMAT, "header": {**header().model_dump(mode="json"), **fields}}


def _tasks(count: int, numbers: int = 6) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Tasks with a hundred attempts at each, of 10,000 actions."""
    draws = np.random.default_rng(1)
    actions = draws.random((10_000, numbers)).tolist()
    for number in range(count):
        places = enumerate(draws.integers(10_000, size=100).tolist())
        rows = [{"attempt": k + 1, "status": -1, "action": actions[at], "steps": at % 1000} for k, at in places]
        yield f"{number // 100:05d}:{number % 100:03d}", rows


def _read_log(path: Path) -> None:
    from tumble.runs.log import read

    read(path, brief=True)
    read(path)


def _honest_finished(folder: Path) -> bytes:
    """All 2,500 tasks of a tier, a hundred attempts at each."""
    from tumble.runs.log import pack_lines

    del folder
    tasks = ({"task": task, "given_up": "", **_by_column(rows)} for task, rows in _tasks(2500))
    return pack_lines(json.dumps(line).encode() for line in (_head(), *tasks))


def _by_column(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def _honest_lines(folder: Path) -> bytes:
    from tumble.runs.log import encode_lines

    del folder
    lines = [_head()]
    for index, (task, rows) in enumerate(_tasks(500)):
        lines += [{"task": task, **row} for row in rows]
        lines.append({"task": task, "done": len(rows), "index": index, "given_up": ""})
    return encode_lines([*lines, {"finished": 500}], "")[0]


def _finished_bombs() -> Iterator[tuple[str, Content]]:
    """Finished logs with fitting digests."""
    from tumble.runs.log import pack_lines

    def packed(*lines: bytes, **fields: Any) -> bytes:
        return pack_lines([json.dumps(_head(**fields)).encode(), *lines])

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
    yield "zeros", gz(bytes(500_000_000))
    for name, text in json_texts(SIZES[0]):
        for file, content in (
            (name, packed(b'{"task":"0","given_up":"","attempt":' + text + b"}")),
            (f"header: {name}", pack_lines([json.dumps(_head()).encode()[:-2] + b',"more":' + text + b"}}"])),
        ):
            if len(content) <= MOST:
                yield file, content


def _line_bombs() -> Iterator[tuple[str, Content]]:
    from tumble.runs.log import chain_lines

    head = json.dumps(_head()).encode()
    for name, text in json_texts(900_000):
        yield name, chain_lines([head, b'{"a":' + text + b"}"], "")[0]
        yield f"header: {name}", chain_lines([head[:-2] + b',"details":' + text + b"}}"], "")[0]
    small = b'{"task":"0","attempt":1,"action":[],"status":1,"steps":1}'
    yield "many rows", chain_lines([head] + [small] * 11_000, "")[0]
    yield "many tasks", chain_lines([head] + [b'{"task":"%x","done":0,"index":0}' % k for k in range(15_000)], "")[0]
    yield (
        "long actions",
        chain_lines([head, b'{"task":"0","attempt":1,"action":[' + b"0," * 450_000 + b'0],"status":1,"steps":1}'], "")[
            0
        ],
    )
    yield (
        "counts",
        chain_lines(
            [head] + [b'{"task":"%x","done":0,"index":0,"counts":{"a":{"%x":1}}}' % (k, k) for k in range(11_000)], ""
        )[0],
    )


READERS = (
    Reader("finished-run-logs", "run.jsonl.gz", _read_log, _honest_finished, _finished_bombs),
    Reader("run-logs", "run.jsonl", _read_log, _honest_lines, _line_bombs),
)
