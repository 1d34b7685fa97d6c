"""What actions do on all tasks of a tier and on mutations of them, to train on.

All networks learn from a pool. A file of one (`benchmarks/data/phyre_pool.py`) serves the trainings of all folds: what
it has of a task depends on that task and on the package's solution of it, and what it has of a mutation on the mutation
and the task it comes from. The solution was found with the help of other tasks of the template (`search.py`), within
templates also of test tasks. A fold takes what there is of its training tasks. Only outcomes are stored; the actions
are drawn again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from pathlib import Path

import numpy as np

from tumble.bounded import arrays, read_bytes
from tumble.engine import physics_id
from tumble.phyre.catalogue.task import TIERS, Task, TaskError
from tumble.phyre.catalogue.tasks_by_id import solution
from tumble.phyre.generation.variations import (
    MUTATION_MARK,
    Outcomes,
    TriedActions,
    generator_digest,
    generator_for,
    mutation_named,
    mutations,
    try_actions,
)
from tumble.phyre.simulation.actions import action_set, exact_balls, from_balls
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, SOLVED
from tumble.phyre.simulation.sweep_files import pack_statuses, unpack_statuses
from tumble.scene.files import whole_file

FORMAT = 3
"""Of the files that are written. Those of format 1 don't tell their counts; in those of format 2, which can't be read,
the goals of mutations were chosen otherwise."""
MOST_CONTENT, MOST_PER_BYTE = 1 << 24, 12
"""Bytes that the arrays of a file may take, and further ones for each of its bytes; the package's take 2 to 4 times
their size."""
MOST_ACTIONS = 1 << 20
"""On each task."""
INHERITED = 60
"""Actions that solve a task, at most, whose variations are tried on its mutations."""
MAX_SHARE = 0.3
"""The largest share of random actions that may solve a mutation."""
DRAWN_FOR_EACH = 3
"""Mutations that are drawn for each that is kept at most: some are too easy, and many are too hard."""


@dataclass(frozen=True)
class Counts:
    """How much a pool has; by default as much as the package's."""

    tasks: tuple[int, ...] = (1000, 400, 400)
    """On each task: random actions, then variations in each round."""
    mutations: tuple[int, ...] = (200, 150, 150)
    """The same on each mutation."""
    drawn: int = 12
    """Mutations of each task that are drawn, at most: in some of them bodies overlap."""
    kept: int = 4
    """Those that are kept, at most."""


def counts_with(random: int, kept: int, varied: bool = True) -> Counts:
    """The counts of a pool with a number of random actions on each task, and of mutations that are kept at most.

    Without `varied`, random actions are all that is tried on a task.
    """
    counts = Counts()
    rounds = counts.tasks[1:] if varied else ()
    return replace(counts, tasks=(random, *rounds), drawn=DRAWN_FOR_EACH * kept, kept=kept)


@dataclass(frozen=True)
class TrainingPool:
    """What was tried on tasks, and on mutations of them."""

    of_tasks: TriedActions
    of_mutations: TriedActions
    counts: Counts = Counts()

    def save(self, path: str | Path) -> None:
        """Writes an .npz file."""
        stored = {"physics": np.array(physics_id()), "generator": np.array(generator_digest())}
        stored |= {"format": np.array(FORMAT), "drawn": np.array(self.counts.drawn), "kept": np.array(self.counts.kept)}
        parts = ("tasks", self.of_tasks, self.counts.tasks), ("mutations", self.of_mutations, self.counts.mutations)
        for name, tried, counts in parts:
            stored[name] = np.array([task.id for task in tried.tasks], str)
            stored[f"{name}_counts"] = np.array(counts)
            stored[f"{name}_random"], stored[f"{name}_varied"] = (
                pack_statuses(tried.random),
                pack_statuses(tried.varied),
            )
        with whole_file(path) as partial, partial.open("wb") as stream:
            np.savez_compressed(stream, **stored)  # type: ignore[arg-type]


def make(
    tasks: Sequence[Task],
    simulator: Simulator,
    counts: Counts,
    begin: Callable[[str], None] = lambda _: None,
    of_tasks: TriedActions | None = None,
) -> TrainingPool:
    """Tries actions on tasks of a simulator, and on mutations of them; `begin` is told of each stage that begins.

    `of_tasks` is what was tried on the tasks before, with these counts.
    """
    on_tasks = _tried_on_tasks(tasks, simulator, counts, begin) if of_tasks is None else of_tasks
    return TrainingPool(on_tasks, _tried_on_mutations(on_tasks, simulator, counts, begin), counts)


def _tried_on_tasks(
    tasks: Sequence[Task], simulator: Simulator, counts: Counts, begin: Callable[[str], None]
) -> TriedActions:
    begin(f"{counts.tasks[0]} random actions on each of {len(tasks)} tasks")
    random = simulator.sweep(action_set(simulator.tier, counts.tasks[0]), [task.id for task in tasks])
    if not counts.tasks[1:]:
        return try_actions(tasks, random, [], (), _simulated(tasks, simulator))
    begin(f"{sum(counts.tasks[1:])} variations on each")
    return try_actions(tasks, random, _solutions(tasks), counts.tasks[1:], _simulated(tasks, simulator))


def _tried_on_mutations(
    of_tasks: TriedActions, simulator: Simulator, counts: Counts, begin: Callable[[str], None]
) -> TriedActions:
    """On the first mutations of each task that some action solves, but not too many of the random ones."""
    tier, options, (count, *rounds) = simulator.tier, simulator.options, counts.mutations
    begin(f"{counts.drawn} mutations of each task")
    drawn = mutations(of_tasks.tasks, counts.drawn)
    own = Simulator(drawn, tier.name, options.device, options.threads)
    begin(f"{count} random actions on each of {len(drawn)} mutations")
    random = own.sweep(action_set(tier, count))
    share = (random == SOLVED).sum(axis=1) / np.maximum((random != INVALID).sum(axis=1), 1)
    rows = np.flatnonzero(share <= MAX_SHARE)
    drawn, random = [drawn[row] for row in rows], random[rows]
    begin(f"{rounds[0]} variations on each of {len(drawn)} mutations that are not too easy")
    first = try_actions(drawn, random, _inherited(of_tasks, drawn), rounds[:1], _simulated(drawn, own))
    rows = _solved_rows(first, counts.kept)
    kept = [drawn[row] for row in rows]
    begin(f"{sum(rounds[1:])} more variations on each of {len(kept)} mutations that are kept")
    simulated = _simulated(kept, own)

    def outcomes(number: int, actions: np.ndarray) -> np.ndarray:
        return simulated(number, actions) if number else first.varied[rows]

    return try_actions(kept, random[rows], _inherited(of_tasks, kept), rounds, outcomes)


def _solved_rows(tried: TriedActions, kept: int) -> np.ndarray:
    """int [n]: the rows of mutations that some action solves, the first ones of each task."""
    solved = [(statuses == SOLVED).any(axis=1) for statuses in (tried.random, tried.varied)]
    left: dict[str, int] = {}
    rows = []
    for row in np.flatnonzero(solved[0] | solved[1]).tolist():
        origin = tried.tasks[row].id.partition(MUTATION_MARK)[0]
        left[origin] = left.get(origin, kept) - 1
        if left[origin] >= 0:
            rows.append(row)
    return np.array(rows, int)


def joined(pools: Sequence[TrainingPool], tasks: Sequence[Task]) -> TrainingPool:
    """One pool of pools that were made with the same counts, each for some of these tasks, in their order."""
    counts = pools[0].counts
    if any(one.counts != counts for one in pools):
        raise TaskError("pools with different counts cannot be joined")
    place = {task.id: number for number, task in enumerate(tasks)}
    parts = []
    for each in ([one.of_tasks for one in pools], [one.of_mutations for one in pools]):
        some = [one for one in each if one.tasks] or each[:1]
        every = [task for one in some for task in one.tasks]
        order = sorted(range(len(every)), key=lambda row: place[every[row].id.partition(MUTATION_MARK)[0]])
        columns = [np.concatenate([getattr(one, name) for one in some]) for name in ("random", "variations", "varied")]
        parts.append(TriedActions([every[row] for row in order], *(column[order] for column in columns)))
    missing = sorted(place.keys() - {task.id for task in parts[0].tasks})
    if missing:
        raise TaskError(f"no pool has task {missing[0]}")
    return TrainingPool(parts[0], parts[1], counts)


def load(path: str | Path, tasks: Sequence[Task], mutated_each: int | None = None) -> TrainingPool:
    """What a file has of some tasks, and of up to `mutated_each` mutations of each (None: all)."""
    content = read(str(path))
    counts = _counts(path, content)
    row_of = {task_id: row for row, task_id in enumerate(content["tasks"].tolist())}
    missing = next((task.id for task in tasks if task.id not in row_of), None)
    if missing is not None:
        raise TaskError(f"{path}: was not made for task {missing}; make it again for all training tasks")
    most = counts.kept if mutated_each is None else mutated_each
    if most > counts.kept:
        raise TaskError(f"{path}: has up to {counts.kept} mutations of each task, not {mutated_each}")
    of_tasks = _loaded(content, "tasks", tasks, [row_of[task.id] for task in tasks], _solutions(tasks), counts.tasks)
    by_id, left = {task.id: task for task in tasks}, dict.fromkeys((task.id for task in tasks), most)
    found, rows = [], []
    for row, mutation_id in enumerate(content["mutations"].tolist()):
        origin = mutation_id.partition(MUTATION_MARK)[0]
        if left.get(origin, 0) > 0:
            left[origin] -= 1
            found.append(mutation_named(by_id[origin], mutation_id))
            rows.append(row)
    given = _inherited(of_tasks, found)
    return TrainingPool(of_tasks, _loaded(content, "mutations", found, rows, given, counts.mutations), counts)


def shipped(tier: str, mutated: int) -> Path:
    """The file of the package's pool of a tier, with mutations or for none; a TaskError if there is none.

    Where no mutations are wanted, there may be one with more actions on tasks.
    """
    folder = Path(str(resources.files("tumble.phyre"))) / "data" / "training"
    names = (f"{tier}.npz",) if mutated else (f"{tier}-tasks.npz", f"{tier}.npz")
    path = next((folder / name for name in names if (folder / name).exists()), None)
    if path is None:
        raise TaskError(f"the package has no training pool of {tier}; name one, made by benchmarks/data/phyre_pool.py")
    return path


@lru_cache(maxsize=4)
def read(path: str) -> dict[str, np.ndarray]:
    """The arrays of a pool's file; a TaskError if it was made with other physics or random numbers."""
    try:
        raw = read_bytes(path)
        content = arrays(raw, MOST_CONTENT + MOST_PER_BYTE * len(raw))
        physics, generator = str(content["physics"]), str(content["generator"])
    except (OSError, ValueError, KeyError) as error:
        raise TaskError(f"{path}: no training pool, or a damaged one ({error})") from None
    if physics != physics_id():
        raise TaskError(f"{path}: made with physics {physics}, and this is {physics_id()}; make it again")
    if generator != generator_digest():
        raise TaskError(f"{path}: this version of NumPy draws other actions than the one that made it; make it again")
    return content


def _counts(path: str | Path, content: dict[str, np.ndarray]) -> Counts:
    """The counts of a file, of a format that can be read, after its arrays were checked against them."""
    try:
        file_format = int(content.get("format", 1))
        if file_format == 1:
            counts = Counts()
        elif file_format != FORMAT:
            raise TaskError(f"{path}: is of format {file_format}, and this version reads 1 and {FORMAT}; make it again")
        else:
            of_tasks, of_mutations = (tuple(content[f"{name}_counts"].tolist()) for name in ("tasks", "mutations"))
            counts = Counts(of_tasks, of_mutations, int(content["drawn"]), int(content["kept"]))
        for name, of_each in (("tasks", counts.tasks), ("mutations", counts.mutations)):
            _check_arrays(content, name, of_each)
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        if isinstance(error, TaskError):
            raise
        raise TaskError(f"{path}: a damaged training pool ({error})") from None
    return counts


def _check_arrays(content: dict[str, np.ndarray], name: str, counts: Sequence[int]) -> None:
    """Raises a ValueError unless the arrays of tasks or of mutations belong together and fit their counts."""
    if content[name].ndim != 1 or content[name].dtype.kind != "U":
        raise ValueError(f"{name} is no list of ids")
    if not all(type(count) is int and 0 <= count <= MOST_ACTIONS for count in counts) or not counts:
        raise ValueError(f"the counts of {name} are {counts}")
    for kind, count in (("random", counts[0]), ("varied", sum(counts[1:]))):
        packed = content[f"{name}_{kind}"]
        if packed.dtype != np.uint8 or packed.shape != (len(content[name]), -(-count // 4)):
            raise ValueError(f"{name}_{kind} has the shape {packed.shape}")
        if (packed & (packed >> 1) & 0b01010101).any() and not count % 4:
            raise ValueError(f"{name}_{kind} has a status that there is not")


def _loaded(
    content: dict[str, np.ndarray],
    name: str,
    tasks: Sequence[Task],
    rows: Sequence[int],
    given: Sequence[np.ndarray],
    counts: Sequence[int],
) -> TriedActions:
    """What the rows of a file have, of tasks or of mutations."""
    random, stored = (content[f"{name}_{kind}"][list(rows)] for kind in ("random", "varied"))
    return try_actions(tasks, unpack_statuses(random, counts[0]), given, counts[1:], _stored(stored, counts[1:]))


def _simulated(tasks: Sequence[Task], simulator: Simulator) -> Outcomes:
    """Outcomes by simulating."""
    ids = [task.id for task in tasks]

    def outcomes(_: int, actions: np.ndarray) -> np.ndarray:
        each = actions.shape[1]
        if not ids:
            return np.zeros((0, each), np.int8)
        pairs = simulator.pairs(
            [task_id for task_id in ids for _ in range(each)], actions.reshape(-1, actions.shape[2])
        )
        return pairs.reshape(len(ids), each)

    return outcomes


def _stored(packed: np.ndarray, rounds: Sequence[int]) -> Outcomes:
    """Outcomes as they were packed, all rounds in a row."""
    statuses, ends = unpack_statuses(packed, sum(rounds)), np.cumsum(rounds)
    return lambda number, _: statuses[:, ends[number] - rounds[number] : ends[number]]


def _solutions(tasks: Sequence[Task]) -> list[np.ndarray]:
    """The solution of each task that the package has, float [0 or 1, numbers]."""
    found = [solution(task.id) for task in tasks]
    return [
        np.zeros((0, TIERS[task.tier].numbers)) if one is None else one[None]
        for task, one in zip(tasks, found, strict=True)
    ]


def _inherited(of_tasks: TriedActions, drawn: Sequence[Task]) -> list[np.ndarray]:
    """For each mutation, some actions that solve the task it comes from; half of them moved along with a body."""
    row_of = {task.id: row for row, task in enumerate(of_tasks.tasks)}
    given = []
    for task in drawn:
        row = row_of[task.id.partition(MUTATION_MARK)[0]]
        rng = generator_for(task.id)
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
