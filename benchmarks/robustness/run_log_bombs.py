"""Run logs: honest ones, and bombs."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bomb_files as files
import numpy as np
from bomb_files import Content, json_texts
from reader import Reader


def _meta(tasks: int) -> dict[str, Any]:
    from fuzz_run_logs import header

    from tumble.runs.log import FORMAT

    ids = [f"{k // 100:05d}:{k % 100:03d}" for k in range(tasks)]
    return {"format": FORMAT, "header": header().model_dump(mode="json"), "tasks": ids, "given_up": {}}


def _rows(tasks: int, numbers: int = 6) -> Iterator[dict[str, Any]]:
    """A hundred attempts at each task, of 10,000 actions."""
    draws = np.random.default_rng(1)
    actions = draws.random((10_000, numbers)).tolist()
    for task in _meta(tasks)["tasks"]:
        for k, action in enumerate(draws.integers(10_000, size=100)):
            yield {"task": task, "attempt": k + 1, "action": actions[action], "status": -1, "steps": int(action) % 1000}


def _read_log(path: Path) -> None:
    from tumble.runs.log import read

    read(path, brief=True)
    read(path)


def _honest_archive(folder: Path) -> bytes:
    """All 2,500 tasks of a tier, a hundred attempts at each."""
    from tumble.runs import archive

    archive.write(folder / "run.parquet", _meta(2500), _rows(2500))
    return (folder / "run.parquet").read_bytes()


def _honest_lines(folder: Path) -> bytes:
    from tumble.runs.log import encode_lines

    del folder
    meta = _meta(500)
    rows: list[dict[str, Any]] = [{"format": meta["format"], "header": meta["header"]}]
    for k, row in enumerate(_rows(500)):
        rows.append(row)
        if k % 100 == 99:
            rows.append({"task": row["task"], "done": 100, "index": k // 100, "given_up": ""})
    return encode_lines([*rows, {"finished": 500}], "")[0]


def _line_bombs() -> Iterator[tuple[str, Content]]:
    from tumble.runs.log import chain_lines

    meta = _meta(1)
    head = json.dumps({"format": meta["format"], "header": meta["header"]}).encode()
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
    Reader(
        "run-archives", "run.parquet", _read_log, _honest_archive, lambda: files.run_archives(_meta(1)), ("pyarrow",)
    ),
    Reader("run-logs", "run.jsonl", _read_log, _honest_lines, _line_bombs),
)
