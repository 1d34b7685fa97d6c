"""Run logs: JSON lines and finished archives, mutated; half of them with digests of what they became."""

import json
import shutil
from pathlib import Path
from random import Random

from fuzz_kind import Files, Kind, expect
from mutation import mutated_bytes, mutated_json
from names import named_value

from tumble.runs import archive
from tumble.runs.archive import DIGEST_KEY, with_digest
from tumble.runs.header import RunHeader
from tumble.runs.log import FORMAT, Log, chain_lines, open_log, read

TASKS = 4


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
            data = chain_lines(self._mutated(rng, self.texts, b""), "")[0]
        else:
            data = b"".join(self._mutated(rng, self.lines, b"\n"))
        return {"run.jsonl": mutated_bytes(rng, data) if rng.random() < 0.3 else data}

    def _mutated(self, rng: Random, source: list[bytes], end: bytes) -> list[bytes]:
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

    def named(self, rng: Random, files: Files) -> Files:
        texts = [json.dumps(named_value(rng, json.loads(text))).encode() for text in self.texts[:1]]
        return {"run.jsonl": chain_lines([*texts, *self.texts[1:]], "")[0]}

    def use(self, folder: Path) -> None:
        log = use_log(folder / "run.jsonl")
        expect(log.valid_bytes <= (folder / "run.jsonl").stat().st_size, "more bytes are valid than there are")


class Archives(Kind):
    """Finished logs as Parquet."""

    name, share, needs = "run-archives", 30, ("pyarrow",)
    batch = 100

    def prepare(self, folder: Path) -> None:
        shutil.rmtree(folder)
        folder.mkdir()
        log = write_log(folder / "run.jsonl", TASKS)
        log.finish()
        self.data = log.path.read_bytes()
        self.suffix, self.folder = log.path.suffix, folder
        head = log.header.model_dump(mode="json")
        self.meta = {"format": FORMAT, "header": head, "tasks": list(log.tasks), "given_up": {"00000:000": "x"}}
        self.rows = [{**row, "answer": "yes"} for row in log.rows()]

    def make(self, rng: Random) -> Files:
        data = mutated_bytes(rng, self.data)
        if rng.random() < 0.5 and DIGEST_KEY in data:
            data = with_digest(data)
        return {f"run{self.suffix}": data}

    def named(self, rng: Random, files: Files) -> Files:
        meta, rows = named_value(rng, self.meta), [named_value(rng, row) for row in self.rows]
        if rng.random() < 0.5:
            archive.write(self.folder / "named.parquet", meta, self.rows)
        else:
            archive.write(self.folder / "named.parquet", self.meta, rows)
        return {f"run{self.suffix}": (self.folder / "named.parquet").read_bytes()}

    def use(self, folder: Path) -> None:
        use_log(next(folder.iterdir()))


KINDS: tuple[Kind, ...] = (LogLines(), Archives())
