"""Which solutions of published tasks solve tasks of other templates that they are carried over to.

`benchmarks/phyre_pool.py --carried` makes a file of it beside that of a training pool. Only outcomes are stored; the
actions are drawn again. A fold takes what there is of its training tasks, carried over from its training tasks.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from tumble.engine import physics_id
from tumble.phyre.agents.carried import Carried, joined
from tumble.phyre.agents.placement import Placement, moving_in, placement_of
from tumble.phyre.agents.solution_memory import Layout, SolutionMemory, layout
from tumble.phyre.agents.transfer_model import Outcomes
from tumble.phyre.generation import training_pool
from tumble.phyre.generation.tried_actions import generator_digest
from tumble.phyre.simulation.actions import valid
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, SOLVED
from tumble.phyre.simulation.sweeps.bit_packing import pack, unpack
from tumble.phyre.tasks.catalogue import published_tasks
from tumble.phyre.tasks.errors import TaskError
from tumble.phyre.tasks.random_numbers import generator_for
from tumble.phyre.tasks.splits import template_of
from tumble.phyre.tasks.task import Task
from tumble.scene.files import whole_file

EVERY_SOURCE = 4
"""Every n-th published task is one whose solutions are carried over …"""
OF_EACH = 3
"""… this many of each, at most …"""
EVERY_TASK = 6
"""… to every n-th task."""
DRAWN = 1500
"""Actions that are drawn for each task by role, and as many by kind; about one in six can be placed."""


def carried_path(pool: str | Path) -> Path:
    """The file beside a pool's."""
    path = Path(pool)
    return path.with_name(f"{path.stem}-carried.npz")


def make(tier: str, pool: str | Path, device: str = "cpu", threads: int = 0) -> dict[str, np.ndarray]:
    """The arrays of the file: every action is simulated."""
    tasks = list(published_tasks(tier).values())
    drawn = list(_drawn(tasks, tasks[::EVERY_TASK], pool))
    names = np.array([task.id for task, _ in drawn])
    is_valid = np.stack([valid(task.scene, carried.actions) for task, carried in drawn])
    actions = np.stack([carried.actions for _, carried in drawn])[is_valid]
    simulator = Simulator([task for task, _ in drawn], tier, device, threads)
    statuses = np.full(is_valid.shape, INVALID, np.int8)
    statuses[is_valid] = simulator.pairs(np.repeat(names, is_valid.sum(axis=1)).tolist(), actions)
    identity = {"physics": np.array(physics_id()), "generator": np.array(generator_digest())}
    return {**identity, "tasks": names, "statuses": pack(statuses)}


def save(path: str | Path, arrays: dict[str, np.ndarray]) -> None:
    """Writes the file."""
    with whole_file(path) as partial, partial.open("wb") as stream:
        np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]


def load(pool: str | Path, tasks: Sequence[Task]) -> list[Outcomes]:
    """What the file beside a pool has of some tasks, carried over from other ones of them."""
    path = carried_path(pool)
    if not path.exists():
        raise TaskError(
            f"{path}: no outcomes of solutions carried over; make them by benchmarks/phyre_pool.py --carried"
        )
    content = training_pool.read(str(path))
    wanted = [task.id for task in tasks]
    rows = np.flatnonzero(np.isin(content["tasks"], wanted))
    statuses = unpack(content["statuses"][rows], 2 * DRAWN)
    published = published_tasks(tasks[0].tier)
    targets = [published[task_id] for task_id in content["tasks"][rows].tolist()]
    found = []
    for (task, carried), own in zip(_drawn(list(published.values()), targets, pool), statuses, strict=True):
        kept = np.flatnonzero((own != INVALID) & np.isin(carried.task_ids, wanted))
        found.append(Outcomes(task, carried.take(kept), own[kept] == SOLVED))
    return found


def _drawn(tasks: Sequence[Task], targets: Sequence[Task], pool: str | Path) -> Iterator[tuple[Task, Carried]]:
    """For each target, solutions of other templates' tasks, carried over to it."""
    sources = _sources(tasks[::EVERY_SOURCE], pool)
    memories: dict[str, SolutionMemory] = {}
    for task in targets:
        template = template_of(task.id)
        if template not in memories:
            memories[template] = SolutionMemory()
            for name, of_layout, placement in sources:
                if name != template:
                    memories[template].add_placement(of_layout, placement)
        rng, memory = generator_for(f"{task.id}/carried"), memories[template]
        yield task, joined([memory.by_role(task, DRAWN, rng, True), memory.by_kind(task, DRAWN, rng, True)])


def _sources(tasks: Sequence[Task], pool: str | Path) -> list[tuple[str, Layout, Placement]]:
    """Some solutions of each task, with its template and layout."""
    tried = training_pool.load(pool, tasks, 0).of_tasks
    found = []
    for row, task in enumerate(tried.tasks):
        actions = tried.solving(row)[:OF_EACH]
        if len(actions) and moving_in(task.scene):
            found.append((template_of(task.id), layout(task.scene), placement_of(task, actions)))
    return found
