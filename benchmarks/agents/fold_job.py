"""One job of benchmarks/phyre_folds.py, a process of its own: a network is trained, then agents that share it are
evaluated in turn.

    python benchmarks/agents/fold_job.py JOB.json

It looks at the clock itself and ends in time, since a process that shares a GPU with others must not be killed. What it
has done by then is in checkpoints and run logs, from which the same job resumes. DIR, the job's folder, has
checkpoints/, runs/ (logs), seconds/ (durations so far) and brief/ (a brief log of each finished run).
"""

import json
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tumble import engine
from tumble.errors import TumbleError
from tumble.learning.settings import PausedError
from tumble.phyre import agents
from tumble.phyre.agents.dqn import Dqn
from tumble.phyre.benchmark import PHYRE
from tumble.phyre.evaluation import brief_log
from tumble.phyre.evaluation.brief_log import BriefResult
from tumble.phyre.evaluation.result import result_of
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.models.training import DqnSettings
from tumble.phyre.simulation.shipped_sweeps import simulator_with_store
from tumble.runs.header import machine
from tumble.scene.files import whole_file

RANKED_TASKS = 5
"""Tasks on which the time of a ranking is measured."""
LEAST_SHARE = 0.1
"""Nothing that takes long is begun when less than this share of the time is left."""


@dataclass(frozen=True)
class AgentRun:
    """An agent to be evaluated."""

    agent: str
    variant: str
    """The name of its settings."""
    settings: dict[str, Any]
    earlier_runs: int = 0
    """How often the agent was run on this test fold before."""


@dataclass(frozen=True)
class Job:
    """A network for a fold of a setting, and agents that share it."""

    setting: str
    fold: int
    split: str
    limit: int | None
    runs: tuple[AgentRun, ...]
    out: str
    store: str | None
    """A sweep store of the setting's tier; None for the package's."""
    pool: str
    """A training pool of the tier; empty for the package's."""
    device: str
    """Of the network, and of the physics that trains it. Attempts at test tasks run on the CPU."""
    only_trains: bool = False
    """Whether the agents are evaluated by other jobs."""
    frozen: str = ""
    """The commit that froze the settings of its runs; needed for test folds."""

    @property
    def network(self) -> str:
        """The name of its network."""
        return f"{self.setting}-{self.fold}-{self.split}-{network_digest(self.runs[0].settings)}"

    @property
    def name(self) -> str:
        if self.only_trains:
            return f"{self.network}-training"
        digest = sha256(json.dumps([(run.agent, run.variant) for run in self.runs]).encode()).hexdigest()[:8]
        return "-".join([self.network, *dict.fromkeys(run.agent for run in self.runs), digest])


@dataclass(frozen=True)
class Share:
    """What a job may use."""

    minutes: float
    """Of the call that started the job; 0 for no limit."""
    deadline: float
    """In seconds since the epoch."""
    threads: int
    parallel: int
    """Jobs that share the machine."""


class JobError(TumbleError):
    """A job that may not be run."""


class TimeOverError(Exception):
    """The time is over."""


class Clock:
    """The time that a job has left."""

    def __init__(self, share: Share) -> None:
        self.share = share

    @property
    def minutes(self) -> float:
        """Minutes left; 0 for no limit."""
        if not self.share.minutes:
            return 0.0
        self.check()
        return (self.share.deadline - time.time()) / 60.0

    def check(self) -> None:
        if self.share.minutes and time.time() >= self.share.deadline:
            raise TimeOverError

    def check_there_is_some(self) -> None:
        """Before anything that takes long before it can be stopped."""
        if self.share.minutes and self.minutes < LEAST_SHARE * self.share.minutes:
            raise TimeOverError


def settings_for(agent: str, settings: dict[str, Any]) -> dict[str, Any]:
    """The settings that an agent takes."""
    known = agents.settings_of(agents.class_of(agent))
    return {name: value for name, value in settings.items() if name in known}


def network_digest(settings: dict[str, Any]) -> str:
    """Tells apart networks that are trained differently."""
    agent = agents.make("dqn", **settings_for("dqn", settings))
    return sha256(json.dumps([getattr(agent, name) for name in agents.settings_of(DqnSettings)]).encode()).hexdigest()[
        :8
    ]


@contextmanager
def adding_seconds(path: Path) -> Iterator[dict[str, Any]]:
    """Values that are kept in a JSON file; the duration of the block is added to its `seconds`."""
    values = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"seconds": 0.0}
    start = time.monotonic()
    try:
        yield values
    finally:
        values["seconds"] += time.monotonic() - start
        _write_json(path, values)


def _write_json(path: Path, values: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as partial:
        partial.write_text(json.dumps(values), encoding="utf-8")


def train_network(job: Job, spec: PhyreRunSpec, clock: Clock) -> dict[str, Any]:
    """Trains the network unless that is done; returns the seconds that it took, and how fast it ranks."""
    path = Path(job.out) / "seconds" / f"{job.network}.json"
    known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if "ranking_ms" in known:
        return known
    tasks = spec.training_tasks()
    clock.check_there_is_some()
    with adding_seconds(path) as values:
        agent = agents.make("dqn", **settings_for("dqn", spec.settings), minutes=clock.minutes)
        assert isinstance(agent, Dqn)
        try:
            agent.train(tasks, simulator_with_store(tasks, spec.tier, spec.store, job.device, clock.share.threads))
        except PausedError as error:
            print(error)
            raise TimeOverError from None
    values |= {"ranked": agent.ranked, "ranking_ms": ranking_ms(agent, spec)}
    _write_json(path, values)
    return values


def ranking_ms(agent: Dqn, spec: PhyreRunSpec) -> float:
    """The median time in which an agent ranks the actions of a task."""
    took = []
    for task in spec.tasks_to_attempt()[: RANKED_TASKS + 1]:
        start = time.perf_counter()
        agent.propose(task, ())
        took.append(1e3 * (time.perf_counter() - start))
    return float(np.median(took[1:] or took))


def work(job: Job, share: Share) -> None:
    """Trains and evaluates; a TimeOverError when the time is over."""
    if job.split == brief_log.TEST and not job.frozen:
        raise JobError(f"{job.name}: a test fold is run with settings that a commit has frozen only")
    clock = Clock(share)
    checkpoint = str(Path(job.out) / "checkpoints" / f"{job.network}.pt")
    place = {"checkpoint": checkpoint, "pool": job.pool, "device": job.device}
    specs = [
        PhyreRunSpec(
            run.agent,
            job.setting,
            job.fold,
            job.split,
            settings={**run.settings, **place},
            limit=job.limit,
            store=job.store,
        )
        for run in job.runs
    ]
    training = train_network(job, next((spec for spec in specs if spec.agent == "dqn"), specs[0]), clock)
    print(f"{job.network}: trained in {training['seconds']:.0f} s", flush=True)
    for run, spec in zip(job.runs, specs, strict=True) if not job.only_trains else ():
        clock.check_there_is_some()
        name = spec.file_name()
        with adding_seconds(Path(job.out) / "seconds" / f"{Path(name).stem}.json") as taken:
            log = PHYRE.run(spec, Path(job.out) / "runs", lambda _, __: clock.check(), share.threads)
        solved_at = result_of(log).solved_at
        timed = run.agent == "dqn" and log.header.details["ranked"] == training["ranked"]
        brief = BriefResult(
            job.setting,
            run.agent,
            run.variant,
            job.split,
            job.fold,
            job.limit,
            run.settings,
            engine.physics_id(),
            round(training["seconds"], 1),
            round(taken["seconds"], 1),
            round(training["ranking_ms"], 2) if timed else None,
            share.parallel,
            machine(torch.cuda.get_device_name() if job.device == "cuda" else ""),
            tuple(solved_at[task_id] for task_id in spec.task_ids()),
            run.earlier_runs,
            job.frozen,
        )
        key = re.sub(r"[^\w.-]+", "_", "-".join(map(str, brief.key)))
        brief_log.write(Path(job.out) / "brief" / f"{key}.txt", [brief])
        print(f"{key}: {brief.auccess:.1f}, {brief.evaluation_seconds:.0f} s", flush=True)


def to_json(job: Job, share: Share) -> str:
    return json.dumps({"job": asdict(job), "share": asdict(share)})


def from_json(text: str) -> tuple[Job, Share]:
    values = json.loads(text)
    runs = tuple(AgentRun(**run) for run in values["job"].pop("runs"))
    return Job(**values["job"], runs=runs), Share(**values["share"])


def main() -> None:
    job, share = from_json(Path(sys.argv[1]).read_text(encoding="utf-8"))
    torch.set_num_threads(share.threads)
    try:
        work(job, share)
    except TimeOverError:
        print("The time is over; the same job resumes.", flush=True)


if __name__ == "__main__":
    main()
