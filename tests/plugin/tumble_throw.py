"""Throw, the smallest useful benchmark: at which angle must a ball be thrown to land at a given distance?

A task is a distance; an attempt is an angle in degrees; a ball that lands within TOLERANCE has solved the task.
"""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tumble.benchmark import Benchmark
from tumble.cli.evaluate import evaluate_specs, exit_if_failed
from tumble.cli.options import Executor, Runs, Seeds, Settings, Workers, agents_with_settings, parse_numbers
from tumble.output import reports_errors
from tumble.progress import Advance
from tumble.runs.evaluate import (
    Attempted,
    ProgressCallback,
    Result,
    TaskCounter,
    attempt_tasks,
    check_unchanged,
    spec_of,
)
from tumble.runs.log import Log, Row
from tumble.runs.participant import AgentRegistry, BaseAgent, ColumnType, attributing_errors
from tumble.runs.replay import first_replay_difference, numbering_problem
from tumble.runs.spec import RunSpec

SPEED, GRAVITY, TOLERANCE = 10.0, 9.8, 0.25


# Tasks and physics
@dataclass(frozen=True)
class Task:
    id: str
    distance: float


TASKS = [Task(f"{distance}m", float(distance)) for distance in range(1, 11)]


def landing(angle: float) -> float:
    """Where a ball lands that is thrown at an angle."""
    return SPEED**2 * math.sin(2.0 * math.radians(angle)) / GRAVITY


def solves(task: Task, angle: float) -> bool:
    return abs(landing(angle) - task.distance) <= TOLERANCE


# Agents
class Agent(BaseAgent[Task, list[float]]):
    """Override `propose`."""

    def propose(self, task: Task, past: Sequence[float]) -> float:
        """The next angle, given those that failed."""
        raise NotImplementedError


class RandomAngles(Agent):
    def __init__(self, seed: int = 0) -> None:
        self.draws = random.Random(seed)

    def propose(self, task: Task, past: Sequence[float]) -> float:
        return self.draws.uniform(0.0, 45.0)


class Solver(Agent):
    def propose(self, task: Task, past: Sequence[float]) -> float:
        return math.degrees(math.asin(min(1.0, task.distance * GRAVITY / SPEED**2))) / 2.0


AGENTS = AgentRegistry(__name__, {"random": RandomAngles, "solver": Solver}, Agent, "propose(self, task, past)")


# Evaluation
@dataclass(frozen=True)
class ThrowRunSpec(RunSpec):
    benchmark = "throw"
    registry = AGENTS

    attempts: int = 5

    @classmethod
    def physics_id(cls) -> str:
        return "throw-1"

    def own_columns(self) -> Mapping[str, ColumnType]:
        return {"angle": "number"}

    def task_ids(self) -> list[str]:
        return [task.id for task in TASKS[: self.limit]]


@dataclass(frozen=True)
class ThrowResult(Result):
    solved: float

    @property
    def summary(self) -> str:
        return f"solved {100.0 * self.solved:.0f} %"


def attempt(agent: Agent, task: Task, attempts: int) -> Attempted[list[float]]:
    """Attempts at a task until one solves it."""
    angles: list[float] = []
    while len(angles) < attempts and not (angles and solves(task, angles[-1])):
        with attributing_errors(agent, f"proposing for task {task.id}"):
            angles.append(float(agent.propose(task, angles)))
    return Attempted([row(task, number, angle) for number, angle in enumerate(angles, start=1)], angles)


def row(task: Task, number: int, angle: float) -> Row:
    return {"attempt": number, "status": int(solves(task, angle)), "angle": angle}


class Throw(Benchmark):
    name = "throw"
    title = "Throw"
    summary = "throw a ball so that it lands at a distance."
    needs_all_attempts = False

    @property
    def spec(self) -> type[RunSpec]:
        return ThrowRunSpec

    def evaluate(self, spec: ThrowRunSpec, log: Log, progress: ProgressCallback, threads: int) -> None:
        agent, tasks = spec.make_agent(), TASKS[: spec.limit]
        attempt_tasks(
            agent,
            tasks,
            log,
            TaskCounter(progress, len(tasks)),
            attempt=lambda task: attempt(agent, task, spec.attempts),
            recall=lambda _, rows: [row["angle"] for row in rows],
        )

    def result(self, log: Log) -> ThrowResult:
        spec_of(log, ThrowRunSpec)
        solved = sum(rows[-1]["status"] for rows in log.tasks.values()) / max(1, len(log.tasks))
        return ThrowResult(log.path, log.header, log.finished, len(log.tasks), solved)

    def replay(self, log: Log, advance: Advance) -> str:
        check_unchanged(log, ThrowRunSpec)
        by_id = {task.id: task for task in TASKS}

        def again(rows: Sequence[Row]) -> list[Row]:
            return [row(by_id[one["task"]], one["attempt"], one["angle"]) for one in rows]

        return first_replay_difference(log, list(by_id), lambda _, rows: numbering_problem(rows), again, 1000, advance)

    def commands(self) -> typer.Typer:
        app = typer.Typer()
        app.callback()(lambda: None)
        app.command("evaluate")(evaluate)
        return app


@reports_errors
def evaluate(
    agent: Annotated[str, typer.Option(help="random, solver, or FILE.py:CLASS; several with commas.")],
    runs: Runs,
    limit: int | None = None,
    seed: Seeds = "0",
    settings: Settings = None,
    workers: Workers = None,
    executor: Executor = "local",
) -> None:
    """Has agents attempt the tasks."""
    specs = [
        ThrowRunSpec(name, settings=values, limit=limit, seed=start)
        for name, values in agents_with_settings(AGENTS, agent, settings or [])
        for start in parse_numbers(seed, "seed")
    ]
    exit_if_failed(evaluate_specs(THROW, specs, Path(runs), workers, executor, "cpu"), len(specs))


THROW = Throw()
