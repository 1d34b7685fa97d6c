"""The jobs that `kills.py` kills and in which `file_faults.py` makes files fail.

    python benchmarks/robustness/jobs.py "phyre rand" FOLDER       starts or resumes a job of KILLED

A job is run by a function that starts or resumes it in a folder, calls `acknowledge` with whatever it has told its
caller to be done, and returns the errors that it prints. It is run in a process of its own.
"""

import random
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from typer.testing import CliRunner

from tumble import phyre
from tumble.benchmark import open_study
from tumble.cli.app import app
from tumble.comphy.dataset.folder import GrowingSums, file_digest, read_settings, read_sums
from tumble.comphy.generation.generate import extend, generate
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.models.data.packed_sets import PackedSets, pack_sets, read_packed, write_packed
from tumble.comphy.questions.ask import SPLIT_OPTIONS, ask_block
from tumble.comphy.questions.symbolic_scene import symbolic_scene
from tumble.errors import TumbleError
from tumble.jobs.job import Job as ExecutorJob
from tumble.jobs.job import run_job
from tumble.phyq.agents.agent import Agent, AttemptState
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.simulation.shots import Shot
from tumble.phyre.simulation import sweep_files
from tumble.phyre.simulation.actions import sample_valid
from tumble.runs import log as run_log
from tumble.scene.files import whole_file
from tumble.studies.study import Move

Acknowledge = Callable[[Any], None]
RETRIES = 2
"""Of a request of a study that failed."""
UNEQUAL = {"created", "machine"}
"""Fields of a header that differ between equal runs."""
FILES = {"dqn": "dqn.pt", "parser": "network.pt"}
"""The checkpoint of each network that is trained."""
ANGLES = (10.0, 25.0, 40.0, 55.0, 70.0)


class AngleLearner(Agent):
    """Learns online: the angles first that won earlier tasks. A log that is resumed wrongly is continued wrongly."""

    learns_online = True

    def __init__(self) -> None:
        self.wins = dict.fromkeys(ANGLES, 0.0)

    def propose(self, task: Task, past: Sequence[Attempt], state: AttemptState) -> Shot:
        best_first = sorted(ANGLES, key=lambda angle: -self.wins[angle])
        return Shot(best_first[len(past) % len(ANGLES)])

    def learn(self, task: Task, past: Sequence[Attempt]) -> None:
        for attempt in past:
            for shot in attempt.shots:
                self.wins[shot.angle] += (1.0 if attempt.won else -0.1) / (1.0 + attempt.pigs_left)


class Job(ABC):
    """A job, by default one that is a function."""

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

    def program(self, folder: Path) -> None:
        """Does the job as the only work of this process."""
        errors = self.run(folder, lambda _: None)
        if errors:
            sys.exit("\n".join(errors))


class Command(Job):
    """A command of Tumble."""

    def __init__(self, name: str, *words: str, workers: int = 1) -> None:
        super().__init__(name)
        self._words, self._workers = words, workers

    def words(self, folder: Path) -> list[str]:
        return [word.replace("FOLDER", str(folder)) for word in self._words] + ["--workers", str(self._workers)]

    def prepare(self, acknowledge: Acknowledge) -> None:
        """Has this process acknowledge what the command does."""

    def run(self, folder: Path, acknowledge: Acknowledge) -> list[str]:
        """Raises what would be shown with its traceback."""
        self.prepare(acknowledge)
        result = CliRunner(env={"COLUMNS": "400", "TERM": "dumb"}).invoke(app, self.words(folder))
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.stderr.splitlines() if result.exit_code else []

    def program(self, folder: Path) -> None:
        self.prepare(lambda _: None)
        app(self.words(folder))


def errors_of(function: Callable[..., Any], *arguments: Any) -> list[str]:
    """The error of a function as executors report it; raises what they report with its traceback."""
    outcome = run_job(ExecutorJob("", lambda *call: function(*call[:-1]), arguments), lambda *_: None)
    if outcome.trace:
        raise RuntimeError(outcome.trace)
    return outcome.error.splitlines()


def files_of(folder: Path, hidden: bool = False) -> dict[str, Any]:
    """The bytes of all files, without temporary ones unless these are asked for."""
    paths = (path for path in folder.rglob("*") if path.is_file() and (hidden or not path.name.startswith(".")))
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def valid_action(task_id: str, seed: str) -> tuple[float, ...]:
    """An action of PHYRE."""
    task = phyre.task(task_id)
    (action,) = sample_valid(task.scene, task.tier, 1, np.random.default_rng(random.Random(seed).getrandbits(32)))
    return tuple(float(number) for number in action)


class Evaluation(Command):
    """A run whose attempts are logged; every attempt that was appended is acknowledged."""

    def prepare(self, acknowledge: Acknowledge) -> None:
        append = run_log.Log.append

        def append_and_acknowledge(log: run_log.Log, updates: Any) -> None:
            listed = list(updates)
            append(log, listed)
            acknowledge([{"task": update.task, **row} for update in listed for row in update.rows])

        run_log.Log.append = append_and_acknowledge  # type: ignore[method-assign]

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


class Study(Job):
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
        with store.database.transaction() as db:
            codes = [row["code"] for row in db.execute("SELECT code FROM participants ORDER BY number LIMIT 2")]
        while len(codes) < 2:
            codes.append(self._request(store.begin))
            acknowledge(["code", codes[-1]])
        for code in codes:
            step = self._request(lambda code=code: store.next_task(code))
            while step.kind in ("practice", "task"):
                place = (step.position, step.attempt, step.part)
                action = valid_action(step.task, f"{step.task} {place}")
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


class Sweep(Command):
    """Outcomes in a store; every shard that was written is acknowledged."""

    def prepare(self, acknowledge: Acknowledge) -> None:
        sweep_files.STATUSES_PER_SHARD, sweep_files.STATUSES_PER_JOB = 50, 25
        write_shard = sweep_files.SweepStore.write_shard

        def write_and_acknowledge(store: sweep_files.SweepStore, shard: int, packed: Any) -> None:
            write_shard(store, shard, packed)
            acknowledge(shard)

        sweep_files.SweepStore.write_shard = write_and_acknowledge  # type: ignore[method-assign]

    def lost(self, folder: Path, acknowledged: list[Any]) -> list[str]:
        if not (folder / "store" / "store.json").exists():
            return ["the store is lost"] if acknowledged else []
        problems = sweep_files.open_store(folder / "store").verify()
        missing = [problem for problem in problems if any(f"shard-{shard:05d}" in problem for shard in acknowledged)]
        return [*missing, *(problem for problem in problems if "damaged" in problem)]

    def results(self, folder: Path) -> dict[str, Any]:
        return files_of(folder)


class Generation(Command):
    """A dataset; the files of every set that was counted as finished are acknowledged."""

    most = 100

    def prepare(self, acknowledge: Acknowledge) -> None:
        append = GrowingSums.append

        def append_and_acknowledge(growing: GrowingSums, sums: Any) -> None:
            append(growing, sums)
            acknowledge(dict(sums))

        GrowingSums.append = append_and_acknowledge  # type: ignore[method-assign]

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
        return {
            name: content for name, content in files_of(folder, hidden=True).items() if name != "set/generation.json"
        }


class Extension(Generation):
    """A dataset of three sets, made without the command, that is extended to eight."""

    def program(self, folder: Path) -> None:
        root = folder / "set"
        if not (root / "dataset.json").exists() or read_settings(root).sets == 3:
            generate(root, 3, seed=1, video=False, workers=2)
        extend(root, 8, workers=2)


def packed_sets() -> PackedSets:
    """Two sets with their questions."""
    videos = [make_set(index) for index in range(2)]
    questions = ask_block({one.index: symbolic_scene(one) for one in videos}, 1, SPLIT_OPTIONS["train"])
    return pack_sets(list(zip(videos, questions, strict=True)))


class Packed(Job):
    """A file of sets for training; it is acknowledged when it was written."""

    @cached_property
    def sets(self) -> PackedSets:
        return packed_sets()

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
        return files_of(folder)


class Training(Job):
    """The training of a small network; the number of steps in every checkpoint that was written is acknowledged."""

    most = 40

    def __init__(self, name: str, network: str, train: Callable[[Path], Any]) -> None:
        super().__init__(name)
        self._network, self._train = network, train

    def _file(self, folder: Path) -> Path:
        return folder / FILES[self._network]

    def run(self, folder: Path, acknowledge: Acknowledge) -> list[str]:
        from tumble.learning import harness

        save = harness.write_checkpoint

        def save_and_acknowledge(path: Any, content: Any) -> None:
            save(path, content)
            acknowledge(int(content["step"]))

        harness.write_checkpoint = save_and_acknowledge
        harness.CHECKPOINT_SECONDS = 0.0
        return errors_of(self._train, folder)

    def lost(self, folder: Path, acknowledged: list[Any]) -> list[str]:
        file = self._file(folder)
        if not file.exists():
            return ["the checkpoint is lost"] if acknowledged else []
        content = self._content(file)
        return [f"steps {content['step']} to {max(acknowledged)} are lost"] * (
            content["step"] < max(acknowledged, default=0)
        )

    def _content(self, file: Path) -> Any:
        import torch

        from tumble.learning.checkpoint import DIGEST_TRAILER_BYTES, checkpoint_bytes

        raw = file.read_bytes()
        if checkpoint_bytes(raw[:-DIGEST_TRAILER_BYTES]) != raw:
            raise TumbleError(f"{file.name} is damaged")
        return torch.load(BytesIO(raw[:-DIGEST_TRAILER_BYTES]), weights_only=True)

    def results(self, folder: Path) -> dict[str, Any]:
        return trained(self._file(folder), self._network)


def train_dqn(folder: Path, **settings: Any) -> None:
    """Trains PHYRE's network, with a checkpoint after each of its updates."""
    from tumble.phyre.agents.dqn import Dqn

    tasks = [phyre.task(task_id) for task_id in ("00000:000", "00001:003")]
    size = {"updates": 6, "tasks_per_batch": 2, "actions_per_task": 4, "trained_on": 20, "side": 32, "width": 0.125}
    quick = {"device": "cpu", "ranked": 10, "pooled": False}
    agent = Dqn(checkpoint=str(folder / FILES["dqn"]), **{**size, **quick, **settings})
    agent.train(tasks, phyre.Simulator(tasks, "B", threads=1))


def train_parser(folder: Path, steps: int = 5, random_texts: int = 20) -> None:
    """Trains ComPhy's parser."""
    import torch

    from tumble.comphy.models.registry import make_training
    from tumble.learning import harness
    from tumble.learning.page import write_training_page

    cpu = torch.device("cpu")
    training = make_training("parser", packed_sets(), cpu, settings={"random_texts": random_texts})
    harness.train(training, folder / FILES["parser"], harness.Budget(steps=steps), cpu)
    write_training_page(folder / "losses.html", training)


def trained(path: Path, name: str) -> dict[str, Any]:
    """The weights, losses and settings of a finished training."""
    from tumble.learning.checkpoint import load_network

    content = load_network(path, name)
    assert content["finished"]
    tensors = {name: value.numpy().tobytes() for name, value in content["network"].items()}
    return {**tensors, **{name: content[name] for name in ("step", "curve", "config", "data", "budget")}}


PHYRE_RUN = ("phyre", "evaluate", "--setting", "ball_within_template", "--runs", "FOLDER", "--agent")
PHYQ_RUN = ("phyq", "evaluate", "--setting", "tasks", "--runs", "FOLDER", "--limit", "4", "--only")
SWEEP = ("phyre", "sweep", "FOLDER/store", "--actions", "25", "--tasks")
GENERATE = ("comphy", "generate", "--out", "FOLDER/set", "--sets")
TASKS = [",".join(f"00002:{number:03d}" for number in range(count)) for count in (12, 30)]
LEARNER = f"{Path(__file__).resolve()}:AngleLearner"


def faulted() -> list[Job]:
    """The jobs in which files fail."""
    return [
        Evaluation("evaluation, PHYRE", *PHYRE_RUN, "mem-o", "--limit", "8", "--attempts", "6"),
        Evaluation("evaluation, Phy-Q", *PHYQ_RUN, "1.1", "--agent", "random"),
        Study("study"),
        Sweep("sweep", *SWEEP, TASKS[0]),
        Generation("dataset", *GENERATE, "2", "--no-video"),
        Generation("dataset with videos", *GENERATE, "1", "--size", "16x16"),
        Packed("packed sets"),
        Training("training, PHYRE's DQN", "dqn", train_dqn),
        Training("training, ComPhy's parser", "parser", train_parser),
    ]


def killed() -> dict[str, list[Job]]:
    """The jobs that are killed, by the row of the table in which they are counted."""
    larger = {"updates": 16, "actions_per_task": 8, "trained_on": 50, "side": 64}
    return {
        "evaluation": [
            Evaluation("phyre rand", *PHYRE_RUN, "rand", "--limit", "10", "--attempts", "20"),
            Evaluation("phyre, two workers", *PHYRE_RUN, "rand,mem-o", "--limit", "25", "--attempts", "10", workers=2),
            Evaluation("phyre mem-o", *PHYRE_RUN, "mem-o", "--limit", "60", "--attempts", "10"),
            Evaluation("phyq random", *PHYQ_RUN, "1.1,2.1,3.1", "--agent", "random", "--attempts", "3"),
            Evaluation("phyq learning online", *PHYQ_RUN, "1.1,2.1,3.1", "--agent", LEARNER, "--attempts", "3"),
        ],
        "sweep": [
            Sweep("thirty tasks", *SWEEP, TASKS[1]),
            Sweep("thirty tasks, two workers", *SWEEP, TASKS[1], workers=2),
        ],
        "generation": [
            Generation("without videos", *GENERATE, "3", "--no-video"),
            Generation("videos", *GENERATE, "3", "--size", "32x32"),
            Generation("videos, two workers", *GENERATE, "3", "--size", "32x32", workers=2),
            Extension("three sets extended to eight, two workers"),
        ],
        "training": [
            Training("dqn", "dqn", lambda folder: train_dqn(folder, **larger)),
            Training("dqn, pool", "dqn", lambda folder: train_dqn(folder, **larger, pooled=True)),
            Training("parser", "parser", lambda folder: train_parser(folder, 12, 200)),
        ],
    }


if __name__ == "__main__":
    name, place = sys.argv[1:]
    next(job for jobs in killed().values() for job in jobs if job.name == name).program(Path(place))
