"""What actions do on all tasks of a tier and on mutations of them, to train on.

A pool is made once (`benchmarks/phyre_pool.py`) and serves the trainings of all folds: what it has of a task depends on
that task alone, and what it has of a mutation on the mutation and the task it comes from. A fold takes what there is of
its training tasks. Only outcomes are stored; the actions are drawn again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib import resources
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from tumble.engine import physics_id
from tumble.phyre.generation.mutation import MARK, mutated, mutations
from tumble.phyre.generation.solutions import solution
from tumble.phyre.generation.tried_actions import Outcomes, TriedActions, generator_digest, try_actions
from tumble.phyre.simulation.actions import action_set, exact_balls, from_balls
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, SOLVED
from tumble.phyre.simulation.sweeps.bit_packing import pack, unpack
from tumble.phyre.tasks.errors import TaskError
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.tier import TIERS
from tumble.scene.files import whole_file

RANDOM, ROUNDS = 1000, (400, 400)
"""Random actions on each task, and variations in each round."""
MUTATION_RANDOM, MUTATION_ROUNDS = 200, (150, 150)
"""The same for mutations."""
DRAWN, KEPT = 12, 4
"""Mutations of each task that are drawn, and those that are kept at most."""
MAX_SHARE = 0.3
"""The largest share of random actions that may solve a mutation."""
INHERITED = 60
"""Actions that solve a task, at most, whose variations are tried on its mutations."""


@dataclass(frozen=True)
class TrainingPool:
    """What was tried on tasks, and on mutations of them."""

    of_tasks: TriedActions
    of_mutations: TriedActions

    def save(self, path: str | Path) -> None:
        """Writes an .npz file."""
        arrays = {"physics": np.array(physics_id()), "generator": np.array(generator_digest())}
        for name, tried in (("tasks", self.of_tasks), ("mutations", self.of_mutations)):
            arrays[name] = np.array([task.id for task in tried.tasks], str)
            arrays[f"{name}_random"], arrays[f"{name}_varied"] = pack(tried.random), pack(tried.varied)
        with whole_file(path) as partial, partial.open("wb") as stream:
            np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]


def make(tasks: Sequence[Task], simulator: Simulator) -> TrainingPool:
    """Tries actions on tasks of a simulator, and on mutations of them."""
    tier, options = simulator.tier, simulator.options
    random = simulator.sweep(action_set(tier, RANDOM), [task.id for task in tasks])
    of_tasks = try_actions(tasks, random, _solutions(tasks), ROUNDS, _simulated(tasks, simulator))
    drawn = mutations(tasks, DRAWN)
    own = Simulator(drawn, tier.name, options.device, options.threads)
    random = own.sweep(action_set(tier, MUTATION_RANDOM))
    first = try_actions(drawn, random, _inherited(of_tasks, drawn), MUTATION_ROUNDS[:1], _simulated(drawn, own))
    rows = _rows_to_keep(first)
    kept = [drawn[row] for row in rows]
    simulated = _simulated(kept, own)

    def outcomes(number: int, actions: np.ndarray) -> np.ndarray:
        return simulated(number, actions) if number else first.varied[rows]

    return TrainingPool(
        of_tasks, try_actions(kept, random[rows], _inherited(of_tasks, kept), MUTATION_ROUNDS, outcomes)
    )


def load(path: str | Path, tasks: Sequence[Task], mutated_each: int) -> TrainingPool:
    """What a file has of some tasks, and of up to `mutated_each` mutations of each."""
    content = read(str(path))
    row_of = {task_id: row for row, task_id in enumerate(content["tasks"].tolist())}
    missing = next((task.id for task in tasks if task.id not in row_of), None)
    if missing is not None:
        raise TaskError(f"{path}: was not made for task {missing}; make it again for all training tasks")
    if mutated_each > KEPT:
        raise TaskError(f"{path}: has up to {KEPT} mutations of each task, not {mutated_each}")
    rows = [row_of[task.id] for task in tasks]
    random, stored = unpack(content["tasks_random"][rows], RANDOM), content["tasks_varied"][rows]
    of_tasks = try_actions(tasks, random, _solutions(tasks), ROUNDS, _stored(stored, ROUNDS))
    by_id, left = {task.id: task for task in tasks}, dict.fromkeys((task.id for task in tasks), mutated_each)
    found, rows = [], []
    for row, mutation_id in enumerate(content["mutations"].tolist()):
        origin, _, number = mutation_id.partition(MARK)
        if left.get(origin, 0) > 0:
            left[origin] -= 1
            mutation = mutated(by_id[origin], int(number))
            assert mutation is not None
            found.append(mutation)
            rows.append(row)
    random, stored = unpack(content["mutations_random"][rows], MUTATION_RANDOM), content["mutations_varied"][rows]
    given = _inherited(of_tasks, found)
    return TrainingPool(of_tasks, try_actions(found, random, given, MUTATION_ROUNDS, _stored(stored, MUTATION_ROUNDS)))


def shipped(tier: str) -> Path:
    """The file of the package's pool of a tier; a TaskError if there is none."""
    path = Path(str(resources.files("tumble.phyre"))) / "data" / "training" / f"{tier}.npz"
    if not path.exists():
        raise TaskError(f"the package has no training pool of {tier}; name a file, made by benchmarks/phyre_pool.py")
    return path


@lru_cache(maxsize=4)
def read(path: str) -> dict[str, np.ndarray]:
    """The arrays of a pool's file; a TaskError if it was made with other physics or random numbers."""
    try:
        with Path(path).open("rb") as stream, np.load(stream) as data:
            content = {name: data[name] for name in data.files}
        physics, generator = str(content["physics"]), str(content["generator"])
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise TaskError(f"{path}: no training pool, or a damaged one ({error})") from None
    if physics != physics_id():
        raise TaskError(f"{path}: made with physics {physics}, and this is {physics_id()}; make it again")
    if generator != generator_digest():
        raise TaskError(f"{path}: this version of NumPy draws other actions than the one that made it; make it again")
    return content


def _simulated(tasks: Sequence[Task], simulator: Simulator) -> Outcomes:
    """Outcomes by simulating."""
    ids = [task.id for task in tasks]

    def outcomes(_: int, actions: np.ndarray) -> np.ndarray:
        each = actions.shape[1]
        pairs = simulator.pairs(
            [task_id for task_id in ids for _ in range(each)], actions.reshape(-1, actions.shape[2])
        )
        return pairs.reshape(len(ids), each)

    return outcomes


def _stored(packed: np.ndarray, rounds: Sequence[int]) -> Outcomes:
    """Outcomes as they were packed, all rounds in a row."""
    statuses, ends = unpack(packed, sum(rounds)), np.cumsum(rounds)
    return lambda number, _: statuses[:, ends[number] - rounds[number] : ends[number]]


def _solutions(tasks: Sequence[Task]) -> list[np.ndarray]:
    """The solution of each task that the package has, float [0 or 1, numbers]."""
    found = [solution(task.id) for task in tasks]
    return [
        np.zeros((0, TIERS[task.tier].numbers)) if one is None else one[None]
        for task, one in zip(tasks, found, strict=True)
    ]


def _rows_to_keep(tried: TriedActions) -> list[int]:
    """Mutations that some action solves, but not too many of the random ones; the first KEPT of each task."""
    share = (tried.random == SOLVED).sum(axis=1) / np.maximum((tried.random != INVALID).sum(axis=1), 1)
    solvable = (share > 0.0) | (tried.varied == SOLVED).any(axis=1)
    count: dict[str, int] = {}
    rows = []
    for row in np.flatnonzero(solvable & (share <= MAX_SHARE)).tolist():
        origin = tried.tasks[row].id.partition(MARK)[0]
        count[origin] = count.get(origin, 0) + 1
        if count[origin] <= KEPT:
            rows.append(row)
    return rows


def _inherited(of_tasks: TriedActions, drawn: Sequence[Task]) -> list[np.ndarray]:
    """For each mutation, some actions that solve the task it comes from; half of them moved along with a body."""
    row_of = {task.id: row for row, task in enumerate(of_tasks.tasks)}
    given = []
    for task in drawn:
        row = row_of[task.id.partition(MARK)[0]]
        rng = np.random.default_rng(np.frombuffer(sha256(task.id.encode()).digest(), np.uint32))
        actions = of_tasks.solving(row)
        actions = actions[rng.permutation(len(actions))[:INHERITED]]
        given.append(_moved_along(actions, of_tasks.tasks[row], task, rng))
    return given


def _moved_along(actions: np.ndarray, origin: Task, task: Task, rng: np.random.Generator) -> np.ndarray:
    """Actions, half of them moved as one of the bodies was in a mutation that has the same bodies."""
    before, after = (np.array([body.position for body in one.scene.bodies]) for one in (origin, task))
    if before.shape != after.shape:
        return actions
    moves = (after - before)[rng.integers(len(after), size=len(actions))]
    moves[::2] = 0.0
    balls = exact_balls(actions)
    balls[..., :2] += moves[:, None]
    return np.asarray(from_balls(balls).clip(0.0, 1.0))
