"""Predicts whether a solution of a training task that is carried over to a task of another template solves it.

A few small networks on features of the action, the task and the task that it comes from, trained on outcomes between
training templates. How many of a task's actions solve differs much between tasks and is of no use in choosing among
them, so each task's share is given: the networks learn what is left.

`benchmarks/data/phyre_pool.py --carried` makes the file of outcomes beside that of a training pool. Only outcomes are
stored; the actions are drawn again. A fold takes what there is of its training tasks, carried over from its training
tasks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.engine import physics_id
from tumble.phyre.agents.explorer.evidence import crowding, flat_balls
from tumble.phyre.agents.explorer.memory import (
    SEPARATOR,
    Carried,
    Layout,
    Placement,
    SolutionMemory,
    bodies_under,
    boxes_of,
    centres_of,
    goal_of,
    joined_carried,
    kinds_under,
    layout_of,
    moving_in,
    moving_kinds,
    placement_of,
)
from tumble.phyre.catalogue.task import Task, TaskError
from tumble.phyre.catalogue.tasks_by_id import published_tasks, template_of
from tumble.phyre.generation import training_pool
from tumble.phyre.generation.variations import generator_digest, generator_for
from tumble.phyre.simulation.actions import exact_balls, valid
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, SOLVED
from tumble.phyre.simulation.sweep_files import pack_statuses, unpack_statuses
from tumble.progress import Advance, bar
from tumble.scene.files import whole_file

SCENE_SIZE = 256.0
"""Of a scene, in pixels: the unit of distances."""
LARGEST_OFFSET = 3.0
CROWDING_REFERENCE = 500
"""Actions, about, among which crowding is counted, so that it does not depend on how many there are."""


def transfer_features(task: Task, carried: Carried) -> np.ndarray:
    """float [n, feature]: how much each action's origin has in common with the task, and what its balls do there."""
    balls = exact_balls(carried.actions)
    under = bodies_under(task.scene, balls)
    return np.stack([*_in_common(task, under, carried), *_in_the_task(task, balls, under), _crowding(carried)], axis=1)


def _in_common(task: Task, under: np.ndarray, carried: Carried) -> list[np.ndarray]:
    """Whether the balls fall onto the same kinds of bodies, for the same kind of goal; the share of the kinds of bodies
    that both scenes have; and how the action was carried over."""
    own, (names, row) = set(moving_kinds(task.scene)), np.unique(carried.scene_kinds, return_inverse=True)
    theirs = [set(name.split(SEPARATOR)) for name in names.tolist()]
    shares = np.array([len(own & other) / len(own | other) for other in theirs])
    return [
        (kinds_under(task.scene, under) == carried.landings).mean(axis=1),
        (carried.goals == goal_of(task)).astype(float),
        shares[row],
        carried.was_moved.astype(float),
        carried.by_kind.astype(float),
    ]


def _in_the_task(task: Task, balls: np.ndarray, under: np.ndarray) -> list[np.ndarray]:
    """What is `under` balls [n, ball, 3], from how high and how far off its centre they fall, and where they are
    relative to the goal's bodies and to each other."""
    scene, centres = task.scene, centres_of(task.scene)
    falls = under >= 0
    boxes = boxes_of(scene) + np.tile(centres, 2)
    left, _, right, top = np.moveaxis(np.where(falls[..., None], boxes[under], (0.0, 0.0, SCENE_SIZE, 0.0)), 2, 0)
    fall = (balls[..., 1] - balls[..., 2] - top) / SCENE_SIZE
    offset = np.abs(balls[..., 0] - (left + right) / 2) / np.maximum((right - left) / 2, 1.0)
    on_moving = falls & np.array([body.dynamic for body in scene.bodies])[under]
    on_goal = [under == body for body in (task.body, task.other)]
    to_goal = [balls[..., :2] - centres[body] for body in (task.body, task.other)]
    is_between = np.sign(to_goal[0][..., 0]) != np.sign(to_goal[1][..., 0])
    radii = balls[..., 2] / SCENE_SIZE
    return [
        *(part for one in (*on_goal, on_moving, is_between) for part in (one.mean(axis=1), one.any(axis=1))),
        *(part for one in (radii, fall) for part in (one.mean(axis=1), one.max(axis=1))),
        np.minimum(offset, LARGEST_OFFSET).mean(axis=1),
        (fall * on_moving).mean(axis=1),
        *(np.hypot(*np.moveaxis(one, 2, 0)).min(axis=1) / SCENE_SIZE for one in to_goal),
        np.hypot(*(balls[:, 0, :2] - balls[:, -1, :2]).T) / SCENE_SIZE,
    ]


def _crowding(carried: Carried) -> np.ndarray:
    balls = flat_balls(carried.actions)
    return crowding(balls, balls[:: max(1, len(balls) // CROWDING_REFERENCE)])


MEMBERS = 3
UNITS = 32
UPDATES = 400
BATCH_SIZE = 4096
LEARNING_RATE = 5e-3
LEAST_SHARE, LARGEST_SHARE = 0.003, 0.9
"""Of a task's actions that solve it, as it is given."""
LARGEST_FEATURE = 4.0
"""In standard deviations."""


@dataclass(frozen=True)
class CarriedOutcomes:
    """Solutions that were carried over to a task, and which of them solve it."""

    task: Task
    carried: Carried
    solved: np.ndarray
    """bool [n]."""


@dataclass(frozen=True)
class TransferModel:
    """The mean of some networks."""

    mean: np.ndarray
    scale: np.ndarray
    networks: tuple[nn.Module, ...]

    @torch.inference_mode()
    def log_odds(self, task: Task, carried: Carried) -> np.ndarray:
        """float [n]: how much more likely each action is to solve the task than others, as log odds."""
        if not len(carried):
            return np.zeros(0)
        values = _standardised_features(transfer_features(task, carried), self.mean, self.scale)
        return np.asarray(torch.stack([network(values)[:, 0] for network in self.networks]).mean(0).double())


def fitted_transfer_model(outcomes: Sequence[CarriedOutcomes], seed: int) -> TransferModel | None:
    """A model of outcomes on training tasks; None if there are none to learn from."""
    if not any(one.solved.any() for one in outcomes):
        return None
    table = np.concatenate([transfer_features(one.task, one.carried) for one in outcomes if len(one.carried)])
    mean, scale = table.mean(axis=0), table.std(axis=0) + 1e-6
    values = _standardised_features(table, mean, scale)
    shares = [np.full(len(one.solved), one.solved.mean()) for one in outcomes if len(one.solved)]
    given = torch.logit(torch.tensor(np.concatenate(shares)).clamp(LEAST_SHARE, LARGEST_SHARE).float())
    solved = torch.tensor(np.concatenate([one.solved for one in outcomes])).float()
    with bar("Training the transfer model", MEMBERS * UPDATES) as advance:
        networks = tuple(_trained_network(values, given, solved, seed + k, advance) for k in range(MEMBERS))
    return TransferModel(mean, scale, networks)


def _standardised_features(table: np.ndarray, mean: np.ndarray, scale: np.ndarray) -> Tensor:
    return torch.tensor((table - mean) / scale).clamp(-LARGEST_FEATURE, LARGEST_FEATURE).float()


def _trained_network(values: Tensor, given: Tensor, solved: Tensor, seed: int, advance: Advance) -> nn.Module:
    """A network that is added to the log odds that are given."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = nn.Sequential(nn.Linear(values.shape[1], UNITS), nn.ReLU(), nn.Linear(UNITS, 1))
        optimiser = torch.optim.AdamW(network.parameters(), LEARNING_RATE)
        for _ in range(UPDATES):
            rows = torch.randint(len(values), (BATCH_SIZE,))
            scores = given[rows] + network(values[rows])[:, 0]
            loss = functional.binary_cross_entropy_with_logits(scores, solved[rows])
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            advance(1)
    return network.eval()


EVERY_SOURCE = 4
"""Every n-th published task is one whose solutions are carried over …"""
SOLUTIONS_OF_EACH = 3
"""… this many of each, at most …"""
EVERY_TASK = 6
"""… to every n-th task."""
DRAWN_ACTIONS = 1500
"""Actions that are drawn for each task by role, and as many by kind; about one in six can be placed."""


def carried_outcomes_path(pool: str | Path) -> Path:
    """The file beside a pool's."""
    path = Path(pool)
    return path.with_name(f"{path.stem}-carried.npz")


def make_carried_outcomes(tier: str, pool: str | Path, device: str = "cpu", threads: int = 0) -> dict[str, np.ndarray]:
    """The arrays of the file: every action is simulated."""
    tasks = list(published_tasks(tier).values())
    drawn = list(_drawn_for_targets(tasks, tasks[::EVERY_TASK], pool))
    names = np.array([task.id for task, _ in drawn])
    is_valid = np.stack([valid(task.scene, carried.actions) for task, carried in drawn])
    actions = np.stack([carried.actions for _, carried in drawn])[is_valid]
    simulator = Simulator([task for task, _ in drawn], tier, device, threads)
    statuses = np.full(is_valid.shape, INVALID, np.int8)
    statuses[is_valid] = simulator.pairs(np.repeat(names, is_valid.sum(axis=1)).tolist(), actions)
    identity = {"physics": np.array(physics_id()), "generator": np.array(generator_digest())}
    return {**identity, "tasks": names, "statuses": pack_statuses(statuses)}


def save_carried_outcomes(path: str | Path, arrays: dict[str, np.ndarray]) -> None:
    """Writes the file."""
    with whole_file(path) as partial, partial.open("wb") as stream:
        np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]


def load_carried_outcomes(pool: str | Path, tasks: Sequence[Task]) -> list[CarriedOutcomes]:
    """What the file beside a pool has of some tasks, carried over from other ones of them."""
    path = carried_outcomes_path(pool)
    if not path.exists():
        raise TaskError(
            f"{path}: no outcomes of solutions carried over; make them by benchmarks/data/phyre_pool.py --carried"
        )
    content = training_pool.read(str(path))
    wanted = [task.id for task in tasks]
    rows = np.flatnonzero(np.isin(content["tasks"], wanted))
    statuses = unpack_statuses(content["statuses"][rows], 2 * DRAWN_ACTIONS)
    published = published_tasks(tasks[0].tier)
    targets = [published[task_id] for task_id in content["tasks"][rows].tolist()]
    found = []
    for (task, carried), own in zip(_drawn_for_targets(list(published.values()), targets, pool), statuses, strict=True):
        kept = np.flatnonzero((own != INVALID) & np.isin(carried.task_ids, wanted))
        found.append(CarriedOutcomes(task, carried.take(kept), own[kept] == SOLVED))
    return found


def _drawn_for_targets(
    tasks: Sequence[Task], targets: Sequence[Task], pool: str | Path
) -> Iterator[tuple[Task, Carried]]:
    """For each target, solutions of other templates' tasks, carried over to it."""
    sources = _source_placements(tasks[::EVERY_SOURCE], pool)
    memories: dict[str, SolutionMemory] = {}
    for task in targets:
        template = template_of(task.id)
        if template not in memories:
            memories[template] = SolutionMemory()
            for name, of_layout, placement in sources:
                if name != template:
                    memories[template].add_placement(of_layout, placement)
        rng, memory = generator_for(f"{task.id}/carried"), memories[template]
        yield (
            task,
            joined_carried(
                [memory.by_role(task, DRAWN_ACTIONS, rng, True), memory.by_kind(task, DRAWN_ACTIONS, rng, True)]
            ),
        )


def _source_placements(tasks: Sequence[Task], pool: str | Path) -> list[tuple[str, Layout, Placement]]:
    """Some solutions of each task, with its template and layout."""
    tried = training_pool.load(pool, tasks, 0).of_tasks
    found = []
    for row, task in enumerate(tried.tasks):
        actions = tried.solving(row)[:SOLUTIONS_OF_EACH]
        if len(actions) and moving_in(task.scene):
            found.append((template_of(task.id), layout_of(task.scene), placement_of(task, actions)))
    return found
