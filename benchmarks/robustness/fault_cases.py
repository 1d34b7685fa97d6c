"""The jobs in which `file_faults.py` makes files fail: how each is run, what it acknowledges, and what must be there.

A job is run by a function that starts or resumes it in a folder, calls `acknowledge` with whatever it has told its
caller to be done, and returns the errors that it prints. It is run in a process of its own.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import torch
from kill_cases import UNEQUAL, all_files, network, weights
from study_kills import choose_for
from typer.testing import CliRunner

from tumble import phyre
from tumble.benchmark import open_study
from tumble.cli.app import app
from tumble.comphy.dataset.folder import GrowingSums, file_digest, read_sums
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.models.data.packed_sets import pack_sets, read_packed, write_packed
from tumble.comphy.models.registry import make_training
from tumble.comphy.questions.ask import SPLIT_OPTIONS, ask_block
from tumble.comphy.questions.symbolic_scene import symbolic_scene
from tumble.errors import TumbleError
from tumble.jobs.job import Job, run_job
from tumble.learning import harness
from tumble.learning.checkpoint import DIGEST_TRAILER_BYTES, checkpoint_bytes
from tumble.phyre.agents.dqn import Dqn
from tumble.phyre.simulation import sweep_files as sweep_store
from tumble.runs import log as run_log
from tumble.scene.files import whole_file
from tumble.studies.study import Move

Acknowledge = Callable[[Any], None]
RETRIES = 2
"""Of a request of a study that failed."""


class Case(ABC):
    """A job."""

    most: int | None = None
    """Faults that are drawn, of a job that takes seconds."""

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def run(self, folder: Path, acknowledge: Acknowledge) -> list[str]:
        """Starts or resumes the job; returns the lines of errors that it printed."""

    @abstractmethod
    def lost(self, folder: Path, acknowledged: list[Any]) -> list[str]:
        """What was acknowledged and is not there any more, and files that a reader takes and are wrong."""

    @abstractmethod
    def results(self, folder: Path) -> dict[str, Any]:
        """What of the files of a complete job must be equal, by name."""


def command(*arguments: str) -> list[str]:
    """The lines of errors of a command of Tumble; raises what would be shown with its traceback."""
    result = CliRunner(env={"COLUMNS": "400", "TERM": "dumb"}).invoke(app, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stderr.splitlines() if result.exit_code else []


def errors_of(function: Callable[..., Any], *arguments: Any) -> list[str]:
    """The error of a function as executors report it; raises what they report with its traceback."""
    outcome = run_job(Job("", lambda *call: function(*call[:-1]), arguments), lambda *_: None)
    if outcome.trace:
        raise RuntimeError(outcome.trace)
    return outcome.error.splitlines()


class Evaluation(Case):
    """A run whose attempts are logged; every attempt that was appended is acknowledged."""

    def __init__(self, name: str, *arguments: str) -> None:
        super().__init__(name)
        self._arguments = arguments

    def run(self, folder: Path, acknowledge: Acknowledge) -> list[str]:
        append = run_log.Log.append

        def append_and_acknowledge(log: run_log.Log, updates: Any) -> None:
            listed = list(updates)
            append(log, listed)
            acknowledge([{"task": update.task, **row} for update in listed for row in update.rows])

        run_log.Log.append = append_and_acknowledge  # type: ignore[method-assign]
        return command(*self._arguments, "--runs", str(folder), "--workers", "1")

    def lost(self, folder: Path, acknowledged: list[Any]) -> list[str]:
        rows = [row for batch in acknowledged for row in batch]
        logs, problems = run_log.logs_in([folder])
        kept = [row for log in logs for task in (*log.tasks.values(), *log.open_tasks.values()) for row in task]
        missing = [row for row in rows if row not in kept]
        return [f"{len(missing)} of {len(rows)} attempts are lost; {' '.join(problems)}"] if missing else []

    def results(self, folder: Path) -> dict[str, Any]:
        logs, problems = run_log.logs_in([folder])
        unfinished = [f"{log.path.name} is not finished" for log in logs if not log.finished]
        found = {log.path.name: (log.header.model_dump(exclude=UNEQUAL), list(log.rows())) for log in logs}
        return {**found, "problems": [*problems, *unfinished]}


class Study(Case):
    """Two participants of a study; every result that they got is acknowledged.

    As on the pages of a study, a request that failed is repeated, to the same process.
    """

    TOML = """
benchmark = "phyre"
title = "Balls"
attempts = 3
order = "listed"
practice = ["00000:001"]
[tasks]
setting = "ball_within_template"
limit = 2
"""

    def run(self, folder: Path, acknowledge: Acknowledge) -> list[str]:
        self.errors: list[str] = []
        file = folder / "study.toml"
        try:
            if not file.exists():
                with whole_file(file) as partial:
                    partial.write_text(self.TOML)
            store = self._request(lambda: open_study(file))
            try:
                self._take_part(store, acknowledge)
            finally:
                self._request(store.close)
        except StoppedError:
            return self.errors
        except OSError as error:
            return [str(error)]
        return []

    def _request(self, function: Callable[[], Any]) -> Any:
        """The answer to a request."""
        for _ in range(1 + RETRIES):
            try:
                return function()
            except (TumbleError, OSError) as error:
                self.errors.append(str(error))
        raise StoppedError

    def _take_part(self, store: Any, acknowledge: Acknowledge) -> None:
        choose = choose_for("phyre")
        with store.database.transaction() as db:
            codes = [row["code"] for row in db.execute("SELECT code FROM participants ORDER BY number LIMIT 2")]
        while len(codes) < 2:
            codes.append(self._request(store.begin))
            acknowledge(["code", codes[-1]])
        for code in codes:
            step = self._request(lambda code=code: store.next_task(code))
            while step.kind in ("practice", "task"):
                place = (step.position, step.attempt, step.part)
                action = tuple(choose(step.task, random.Random(f"{step.task} {place}")))
                move = Move(*place, action, 10.0, 20.0)
                made = self._request(lambda code=code, move=move: store.attempt(code, move))
                acknowledge([code, *place, made.outcome.status, made.outcome.steps])
                step = self._request(lambda code=code: store.next_task(code))

    def lost(self, folder: Path, acknowledged: list[Any]) -> list[str]:
        if not acknowledged:
            return []
        with open_study(folder / "study.toml") as store, store.database.transaction() as db:
            codes = {("code", row["code"]) for row in db.execute("SELECT code FROM participants")}
            columns = "code, position, attempt, part, status, steps"
            tables = "parts JOIN participants ON participant = number"
            parts = {tuple(row) for row in db.execute(f"SELECT {columns} FROM {tables}")}
        return [f"{entry} is lost" for entry in map(tuple, acknowledged) if entry not in codes | parts]

    def results(self, folder: Path) -> dict[str, Any]:
        with open_study(folder / "study.toml") as store, store.database.transaction() as db:
            (checked,) = db.execute("PRAGMA integrity_check").fetchone()
            columns = "participant, position, attempt, part, action, status, steps, solved, open, further"
            parts = [tuple(row) for row in db.execute(f"SELECT {columns} FROM parts ORDER BY 1, 2, 3, 4")]
            done = [tuple(row) for row in db.execute("SELECT participant, position, given_up FROM done ORDER BY 1, 2")]
        return {"parts": parts, "done": done, "integrity": checked}


class StoppedError(Exception):
    """A request of a study that failed again and again."""


class Sweep(Case):
    """Outcomes in a store; every shard that was written is acknowledged."""

    def run(self, folder: Path, acknowledge: Acknowledge) -> list[str]:
        sweep_store.STATUSES_PER_SHARD = 40
        write_shard = sweep_store.SweepStore.write_shard

        def write_and_acknowledge(store: sweep_store.SweepStore, shard: int, packed: Any) -> None:
            write_shard(store, shard, packed)
            acknowledge(shard)

        sweep_store.SweepStore.write_shard = write_and_acknowledge  # type: ignore[method-assign]
        ids = ",".join(f"00002:{number:03d}" for number in range(24))
        return command("phyre", "sweep", str(folder / "store"), "--tasks", ids, "--actions", "10", "--workers", "1")

    def lost(self, folder: Path, acknowledged: list[Any]) -> list[str]:
        if not (folder / "store" / "store.json").exists():
            return ["the store is lost"] if acknowledged else []
        problems = sweep_store.open_store(folder / "store").verify()
        missing = [problem for problem in problems if any(f"shard-{shard:05d}" in problem for shard in acknowledged)]
        return [*missing, *(problem for problem in problems if "damaged" in problem)]

    def results(self, folder: Path) -> dict[str, Any]:
        return _visible(folder)


class Generation(Case):
    """A dataset; the files of every set that was counted as finished are acknowledged."""

    most = 100

    def __init__(self, name: str, *arguments: str) -> None:
        super().__init__(name)
        self._arguments = arguments

    def run(self, folder: Path, acknowledge: Acknowledge) -> list[str]:
        append = GrowingSums.append

        def append_and_acknowledge(growing: GrowingSums, sums: Any) -> None:
            append(growing, sums)
            acknowledge(dict(sums))

        GrowingSums.append = append_and_acknowledge  # type: ignore[method-assign]
        return command("comphy", "generate", "--out", str(folder / "set"), *self._arguments, "--workers", "1")

    def lost(self, folder: Path, acknowledged: list[Any]) -> list[str]:
        root = folder / "set"
        finished, growing = root / "SHA256SUMS", root / "parts" / "sets.sha256"
        recorded = read_sums(finished) if finished.exists() else {}
        recorded |= read_sums(growing, is_growing=True) if growing.exists() else {}
        sums = {name: digest for batch in acknowledged for name, digest in batch.items()}
        wrong = [name for name, digest in sums.items() if file_digest(root / name) != digest]
        forgotten = [name for name, digest in sums.items() if recorded.get(name) != digest]
        return [f"{name} is not as it was" for name in wrong] + [f"{name} has no checksum" for name in forgotten]

    def results(self, folder: Path) -> dict[str, Any]:
        return {name: content for name, content in all_files(folder).items() if name != "set/generation.json"}


class Packed(Case):
    """A file of sets for training; it is acknowledged when it was written."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        videos = [make_set(index) for index in range(2)]
        scenes = {one.index: symbolic_scene(one) for one in videos}
        questions = ask_block(scenes, 1, SPLIT_OPTIONS["train"])
        self.sets = pack_sets(list(zip(videos, questions, strict=True)))

    def run(self, folder: Path, acknowledge: Acknowledge) -> list[str]:
        def write() -> None:
            for number in range(4):
                write_packed(folder / f"{number}.xz", self.sets)
                acknowledge(number)

        return errors_of(write)

    def lost(self, folder: Path, acknowledged: list[Any]) -> list[str]:
        for file in sorted(folder.glob("[!.]*")):
            read_packed(file)
        return [f"{number}.xz is lost" for number in acknowledged if not (folder / f"{number}.xz").exists()]

    def results(self, folder: Path) -> dict[str, Any]:
        return _visible(folder)


class Training(Case):
    """The training of a small network; the number of steps in every checkpoint that was written is acknowledged."""

    most = 40

    def __init__(self, name: str, file: str, train: Callable[[Path], Any], read: Callable[[Path], Any]) -> None:
        super().__init__(name)
        self._file, self._train, self._read = file, train, read

    def run(self, folder: Path, acknowledge: Acknowledge) -> list[str]:
        save = harness.write_checkpoint

        def save_and_acknowledge(path: Any, content: Any) -> None:
            save(path, content)
            acknowledge(int(content["step"]))

        harness.write_checkpoint = save_and_acknowledge
        harness.CHECKPOINT_SECONDS = 0.0
        return errors_of(self._train, folder)

    def lost(self, folder: Path, acknowledged: list[Any]) -> list[str]:
        file = folder / self._file
        if not file.exists():
            return ["the checkpoint is lost"] if acknowledged else []
        content = self._content(file)
        return [f"steps {content['step']} to {max(acknowledged)} are lost"] * (
            content["step"] < max(acknowledged, default=0)
        )

    def _content(self, file: Path) -> Any:
        raw = file.read_bytes()
        if checkpoint_bytes(raw[:-DIGEST_TRAILER_BYTES]) != raw:
            raise TumbleError(f"{file.name} is damaged")
        return torch.load(BytesIO(raw[:-DIGEST_TRAILER_BYTES]), weights_only=True)

    def results(self, folder: Path) -> dict[str, Any]:
        content: dict[str, Any] = self._read(folder)
        return content


def train_dqn(folder: Path) -> None:
    """Trains PHYRE's network, with a checkpoint after each of its updates."""
    tasks = [phyre.task(task_id) for task_id in ("00000:000", "00001:003")]
    size = {"updates": 6, "tasks_per_batch": 2, "actions_per_task": 4, "trained_on": 20, "side": 32, "width": 0.125}
    quick = {"device": "cpu", "ranked": 10, "pooled": False}
    agent = Dqn(checkpoint=str(folder / "dqn.pt"), **size, **quick)
    agent.train(tasks, phyre.Simulator(tasks, "B", threads=1))


class ParserTraining(Training):
    """The training of ComPhy's parser."""

    def __init__(self, name: str, packed: Packed) -> None:
        super().__init__(name, "network.pt", self._train_parser, network)
        self._packed = packed

    def _train_parser(self, folder: Path) -> None:
        cpu = torch.device("cpu")
        training = make_training("parser", self._packed.sets, cpu, settings={"random_texts": 20})
        harness.train(training, folder / "network.pt", harness.Budget(steps=5), cpu)


def _visible(folder: Path) -> dict[str, Any]:
    """The bytes of all files but temporary ones."""
    return {name: content for name, content in all_files(folder).items() if not Path(name).name.startswith(".")}


def make_cases(prefix: str = "") -> dict[str, Case]:
    """The jobs whose names begin so, by name."""
    fold = ("phyre", "evaluate", "--setting", "ball_within_template")
    named = ("phyq", "evaluate", "--setting", "tasks", "--only", "1.1")
    packed = cache(Packed)  # takes seconds
    makers: dict[str, Callable[[str], Case]] = {
        "evaluation, PHYRE": lambda name: Evaluation(
            name, *fold, "--agent", "mem-o", "--limit", "8", "--attempts", "6"
        ),
        "evaluation, Phy-Q": lambda name: Evaluation(name, *named, "--agent", "random", "--limit", "4"),
        "study": Study,
        "sweep": Sweep,
        "dataset": lambda name: Generation(name, "--sets", "2", "--no-video"),
        "dataset with videos": lambda name: Generation(name, "--sets", "1", "--size", "16x16"),
        "packed sets": lambda name: packed(name),
        "training, PHYRE's DQN": lambda name: Training(name, "dqn.pt", train_dqn, weights),
        "training, ComPhy's parser": lambda name: ParserTraining(name, packed("packed sets")),
    }
    return {name: maker(name) for name, maker in makers.items() if name.startswith(prefix)}
