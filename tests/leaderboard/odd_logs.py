"""Run logs that say odd things, with right digests: names, numbers and tables that no evaluation writes."""

import json
import math
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

from tumble.runs.log import FINISHED_SUFFIX, FORMAT, Log, Row, chain_lines, encode_lines, pack_lines

TEXTS = {
    "empty": "",
    "mathematics": r"$\frac{1}$",
    "half a formula": "$$_{^",
    "page": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "markdown": "[a](javascript:alert) | b | ```",
    "LaTeX": r"\input{/etc/passwd}\end{document}%",
    "sheet": "=HYPERLINK(1)+@SUM",
    "terminal": "\x1b[2J\x1b]0;title\x07\x9b31m",
    "null": "a\x00b",
    "lines": "a\nb\r\nc\u2028d",
    "right to left": "\u202egnp.exe\u2066",
    "half a pair": "\ud800 and \udfff",
    "joined": "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 20,
    "accents": "Z" + "\u0301" * 500,
    "format": "%s%n{0}{0.__class__}%(x)s",
    "path": "../../../../etc/passwd",
    "long": "x" * 100_000,
    "space": " \t ",
}
VALUES: dict[str, Any] = {
    "nothing": None,
    "true": True,
    "large": 10**400,
    "negative": -(10**30),
    "not a number": math.nan,
    "infinite": -math.inf,
    "small": 5e-324,
    "list": [1, [2, [3]]],
    "long list": list(range(10_000)),
    "table": {"a": {"b": {"": None}}},
}
DEEP = 400
"""Tables within tables, which is less than what JSON readers refuse."""


def odd_logs(log: Log, folder: Path) -> dict[str, Path]:
    """Files of odd logs by their kind, made from a finished log of a user's agent at two tasks or more."""
    found = {}
    for number, (kind, meta, rows) in enumerate(_kinds(log)):
        path = folder / f"{number:03d}{FINISHED_SUFFIX}"
        path.write_bytes(_packed(meta, rows))
        found[kind] = path
    for kind, content in _files(log).items():
        path = folder / f"{len(found):03d}.jsonl"
        path.write_bytes(content)
        found[kind] = path
    for kind, name in {
        "name of a file: terminal": "\x1b[2J",
        "name of a file: not UTF-8": b"\xff\xfe".decode("utf-8", "surrogateescape"),
    }.items():
        path = folder / f"{name}{FINISHED_SUFFIX}"
        path.write_bytes(_packed(*_whole(log)))
        found[kind] = path
    return found


def _packed(meta: dict[str, Any], rows: list[Row]) -> bytes:
    """A finished log of this header, these tasks and attempts, with right digests."""
    names = [name for name in rows[0] if name != "task"] if rows else []
    lines = [{"format": meta["format"], "header": meta["header"]}]
    for task in meta["tasks"]:
        own = [row for row in rows if row["task"] == task]
        values = {name: [row[name] for row in own] for name in names}
        lines.append({"task": task, "given_up": meta["given_up"].get(task, ""), **values})
    return pack_lines(json.dumps(line).encode() for line in lines)


def _whole(log: Log) -> tuple[dict[str, Any], list[Row]]:
    header = log.header.model_dump(mode="json")
    return {"format": FORMAT, "header": header, "tasks": list(log.tasks), "given_up": {}}, list(log.rows())


def _kinds(log: Log) -> Iterator[tuple[str, dict[str, Any], list[Row]]]:
    """Kinds with the header and tasks, and the rows of their files."""
    whole, rows = _whole(log)

    def changed(change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        meta = deepcopy(whole)
        change(meta["header"])
        return meta

    file = log.header.agent.rpartition(":")[0]
    for name, text in TEXTS.items():
        yield f"agent: {name}", changed(lambda h, t=text: h["spec"].update(agent=t)), rows
        yield f"class: {name}", changed(lambda h, t=text: h["spec"].update(agent=f"{file}:{t}")), rows
        yield f"setting: {name}", changed(lambda h, t=text: _set(h, {t or "a": t})), rows
        yield f"version: {name}", changed(lambda h, t=text: h.update(tumble_version=t)), rows
    for name, value in VALUES.items():
        yield f"value of a setting: {name}", changed(lambda h, v=value: _set(h, {"a": v})), rows
        yield f"seed: {name}", changed(lambda h, v=value: h["spec"].update(seed=v)), rows
        yield f"settings: {name}", changed(lambda h, v=value: h["spec"].update(settings=v)), rows
        yield (
            f"details: {name}",
            changed(lambda h, v=value: h["details"].update(ranked=v, learns_online=v, more=v)),
            rows,
        )
        yield f"agent: {name}", changed(lambda h, v=value: h["spec"].update(agent=v)), rows
    for number in (0, -1, 10**30):
        yield f"tasks of the header: {number}", changed(lambda h, n=number: h.update(task_count=n)), rows
    yield "attempts: many", changed(lambda h: h["spec"].update(attempts=10**9)), rows
    yield "limit: many", changed(lambda h: h["spec"].update(limit=10**18)), rows
    for name, date in (("first year", "0001-01-01T00:00:00+14:00"), ("last year", "9999-12-31T23:59:59-12:00")):
        yield f"created: {name}", changed(lambda h, d=date: h.update(created=d)), rows
    yield "settings: deep", changed(lambda h: _set(h, {"a": _deep(DEEP)})), rows
    yield "no details", changed(lambda h: h.update(details={})), rows
    yield "no settings", changed(lambda h: h["spec"].pop("settings")), rows
    yield "benchmark: none such", changed(lambda h: h.update(benchmark="$none$")), rows
    yield "header: a list", {**whole, "header": []}, rows
    yield "format: another", {**whole, "format": "tumble-run-999"}, rows
    first, second, *_ = whole["tasks"]
    yield "tasks: none", {**whole, "tasks": []}, []
    yield "tasks: one twice", {**whole, "tasks": [first, first, *whole["tasks"]]}, rows
    yield "tasks: none such", {**whole, "tasks": [*whole["tasks"], "99999:999"]}, rows
    yield "tasks: odd ids", _renamed(whole, first, "\u202e$x$\x1b"), _of_task(rows, first, "\u202e$x$\x1b")
    yield "tasks: without attempts", whole, [row for row in rows if row["task"] != second]
    yield "given up: odd", {**whole, "given_up": {first: "\x1b[2J\ud800", "99999:999": "$x^"}}, rows
    yield "attempt: numbers", whole, [{**row, "attempt": 2**31 - 1, "steps": -5} for row in rows]
    yield "attempt: status", whole, [{**row, "status": 127} for row in rows]
    yield "attempt: no action", whole, [{**row, "action": []} for row in rows]
    yield "attempt: long action", whole, [{**row, "action": [0.5] * 1000} for row in rows]
    yield "attempt: large action", whole, [{**row, "action": [1e299, -1e299, 5e-324]} for row in rows]
    yield "attempt: more columns", whole, [{**row, "\x1b$": "=1", "score": "x"} for row in rows]


def _files(log: Log) -> dict[str, bytes]:
    """Files of lines, by kind."""
    whole, rows = _whole(log)
    head = {"format": FORMAT, "header": whole["header"]}
    deep = json.dumps(head).replace('"details": {', '"details": {"a": ' + "[" * 100_000 + "]" * 100_000 + ", ", 1)
    task = rows[0]["task"]
    return {
        "file: empty": b"",
        "file: no log": b"\x00\xff" * 1000,
        "file: unfinished": encode_lines([head, rows[0]], "")[0],
        "file: very deep": chain_lines([deep.encode()], "")[0],
        "file: header alone": encode_lines([head], "")[0],
        "file: cut": encode_lines([head, *rows], "")[0][:-3],
        "file: no such line": encode_lines([head, {"odd": 1}], "")[0],
        "file: counts": encode_lines(
            [head, rows[0], {"task": task, "done": 1, "index": 0, "given_up": "", "counts": {"usage": {"a": 10**300}}}],
            "",
        )[0],
    }


def _set(header: dict[str, Any], settings: dict[str, Any]) -> None:
    """Gives an agent settings, also among all of them."""
    header["spec"]["settings"] = settings
    header["agent_settings"] = {**header["agent_settings"], **settings}


def _deep(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"a": value}
    return value


def _renamed(meta: dict[str, Any], task: str, name: str) -> dict[str, Any]:
    return {**meta, "tasks": [name if one == task else one for one in meta["tasks"]]}


def _of_task(rows: list[Row], task: str, name: str) -> list[Row]:
    return [{**row, "task": name} if row["task"] == task else row for row in rows]
