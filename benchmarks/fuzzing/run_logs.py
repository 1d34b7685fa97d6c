"""Run logs: JSON lines and finished ones, mutated; half of them with digests of what they became."""

import gzip
import json
from pathlib import Path
from random import Random

from fuzzing.kind import Files, Kind, expect
from fuzzing.mutation import mutated_bytes, mutated_json
from fuzzing.names import named_value
from tumble.runs.header import RunHeader
from tumble.runs.log import Log, chain_lines, open_log, pack_lines, read

TASKS = 4


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


def write_log(path: Path, tasks: int) -> Log:
    """A log with some finished tasks of three attempts each."""
    with open_log(path, header()) as log:
        for k in range(tasks):
            rows = [
                {"attempt": j + 1, "action": [0.1 * j, 0.25, 0.5], "status": -1 if j < 2 else 1, "steps": 300 + k}
                for j in range(3)
            ]
            log.add_task(f"0000{k}:000", rows)
        return log


def use_log(path: Path) -> Log:
    """Reads a log in both ways; what both give must agree."""
    log, brief = read(path), read(path, brief=True)
    expect(list(log.tasks) == list(brief.tasks), "brief reading gives other tasks")
    expect(log.finished == brief.finished, "brief reading gives another state")
    for rows in log.tasks.values():
        expect(isinstance(rows, list), "the rows of a task are no list")
        json.dumps(rows, allow_nan=False)
    return log


def mutated_lines(rng: Random, source: list[bytes], end: bytes) -> list[bytes]:
    """Lines, some of them changed, repeated, left out or in another place."""
    lines = list(source)
    for _ in range(rng.choice((0, 1, 1, 2))):
        k = rng.randrange(len(lines))
        try:
            value = json.loads(lines[k])
        except (ValueError, RecursionError):
            continue
        pick = rng.random()
        if pick < 0.7:
            lines[k] = mutated_json(rng, value) + end
        elif pick < 0.8:
            lines.insert(k, rng.choice(lines))
        elif pick < 0.9:
            del lines[k]
            lines = lines or [end]
        else:
            rng.shuffle(lines)
    return lines


class LogLines(Kind):
    """Logs as JSON lines."""

    name, share = "run-logs", 60

    def prepare(self, folder: Path) -> None:
        write_log(folder / "run.jsonl", TASKS)
        self.lines = (folder / "run.jsonl").read_bytes().splitlines(keepends=True)
        rows = [json.loads(line) for line in self.lines]
        self.texts = [json.dumps({name: row[name] for name in row if name != "sha256"}).encode() for row in rows]

    def make(self, rng: Random) -> Files:
        if rng.random() < 0.5:
            data = chain_lines(mutated_lines(rng, self.texts, b""), "")[0]
        else:
            data = b"".join(mutated_lines(rng, self.lines, b"\n"))
        return {"run.jsonl": mutated_bytes(rng, data) if rng.random() < 0.3 else data}

    def named(self, rng: Random, files: Files) -> Files:
        texts = [json.dumps(named_value(rng, json.loads(text))).encode() for text in self.texts[:1]]
        return {"run.jsonl": chain_lines([*texts, *self.texts[1:]], "")[0]}

    def use(self, folder: Path) -> None:
        log = use_log(folder / "run.jsonl")
        expect(log.valid_bytes <= (folder / "run.jsonl").stat().st_size, "more bytes are valid than there are")


class FinishedLogs(Kind):
    """Finished logs."""

    name, share = "finished-run-logs", 30
    batch = 100

    def prepare(self, folder: Path) -> None:
        log = write_log(folder / "run.jsonl", TASKS)
        log.finish()
        self.data = log.path.read_bytes()
        self.lines = gzip.decompress(self.data).splitlines()[:-1]

    def make(self, rng: Random) -> Files:
        if rng.random() < 0.5:
            return {"run.jsonl.gz": pack_lines(mutated_lines(rng, self.lines, b""))}
        return {"run.jsonl.gz": mutated_bytes(rng, self.data)}

    def named(self, rng: Random, files: Files) -> Files:
        lines = [json.dumps(named_value(rng, json.loads(line))).encode() for line in self.lines]
        return {"run.jsonl.gz": pack_lines(lines if rng.random() < 0.5 else [lines[0], *self.lines[1:]])}

    def use(self, folder: Path) -> None:
        use_log(folder / "run.jsonl.gz")


KINDS: tuple[Kind, ...] = (LogLines(), FinishedLogs())
