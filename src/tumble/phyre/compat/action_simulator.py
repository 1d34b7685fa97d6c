"""The simulator: one action on one task at a time."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tumble.phyre.catalogue.task import Task
from tumble.phyre.catalogue.tasks_by_id import task
from tumble.phyre.compat.metrics import tier_of
from tumble.phyre.compat.simulation import FeaturizedObjects, Simulation, SimulationStatus, featurize, initial_objects
from tumble.phyre.observation import view
from tumble.phyre.simulation.actions import ActionError, within_scene
from tumble.phyre.simulation.attempt import SimulationError
from tumble.phyre.simulation.simulator import Simulator

INVALID = Simulation(SimulationStatus.INVALID_INPUT)


def initialize_simulator(task_ids: Sequence[str], action_tier: str) -> "ActionSimulator":
    """A simulator of the tasks with these ids; the tier is "ball" or "two_balls"."""
    return ActionSimulator([task(task_id) for task_id in task_ids], action_tier)


class ActionSimulator:
    """Simulates actions on tasks, which are named by their index in `task_ids`."""

    goals = None
    """The original's default, and its only value here: the colours of a scene show the goal."""

    def __init__(self, tasks: Iterable[Task], action_tier: str) -> None:
        self.tier = action_tier
        self._tier = tier_of(action_tier)
        self._tasks = tuple(tasks)
        Simulator(self._tasks, self._tier.name)  # checks the tasks together
        # One thread: an attempt is one world. One simulator for each task: a call's cost is that of its own scene.
        self._simulators = [Simulator([one], self._tier.name, threads=1) for one in self._tasks]

    @property
    def task_ids(self) -> tuple[str, ...]:
        return tuple(one.id for one in self._tasks)

    @property
    def action_space_dim(self) -> int:
        """How many numbers an action has: 3 or 6."""
        return self._tier.numbers

    @cached_property
    def initial_scenes(self) -> np.ndarray:
        """uint8 [tasks, 256, 256]: colour indices, the bottom row first."""
        pictures = np.array([view.picture(one.scene) for one in self._tasks], np.uint8)
        return np.ascontiguousarray(pictures.reshape(-1, 256, 256)[:, ::-1])

    @cached_property
    def initial_featurized_objects(self) -> list[FeaturizedObjects]:
        """The objects of each task at its start, one step."""
        return [initial_objects(one.scene) for one in self._tasks]

    def sample(self, valid_only: bool = True, rng: Any = None) -> np.ndarray:
        """A random action [numbers]; with `valid_only`, one whose balls lie within the scene and apart.

        It may still overlap a task's bodies. `rng` is a NumPy `RandomState`, by default NumPy's global one.
        """
        source = np.random if rng is None else rng
        while True:
            action = np.asarray(source.random_sample(self.action_space_dim))
            if not valid_only or within_scene(action[None])[0]:
                return action

    def build_discrete_action_space(self, max_actions: int, seed: int = 1) -> list[np.ndarray]:
        """The first `max_actions` actions that `sample` draws with `RandomState(seed)`."""
        if max_actions < 0:
            raise ActionError(f"max_actions must be 0 or more, not {max_actions}")
        rng = np.random.RandomState(seed)
        found = np.zeros((0, self.action_space_dim))
        while len(found) < max_actions:
            drawn = rng.random_sample((max_actions, self.action_space_dim))
            found = np.concatenate([found, drawn[within_scene(drawn)]])
        return list(found[:max_actions])

    def simulate_action(
        self,
        task_index: int,
        action: Sequence[float] | np.ndarray,
        *,
        need_images: bool = True,
        need_featurized_objects: bool = False,
        stride: int = 60,
        stable: bool = False,
    ) -> Simulation:
        """The result of an action [numbers] on a task, with a picture and features of objects every `stride` steps.

        With `stable`, a solving action is STABLY_SOLVED or UNSTABLY_SOLVED. An action outside the unit cube is invalid.
        """
        if not 0 <= task_index < len(self._tasks):
            raise SimulationError(f"no task {task_index} in this simulator: it has {len(self._tasks)}, from 0 on")
        numbers = self._numbers(action)
        if ((numbers < 0.0) | (numbers > 1.0)).any():
            return INVALID
        want = [name for name, needed in _wants(need_images, need_featurized_objects) if needed]
        simulator = self._simulators[task_index]
        attempt = simulator.simulate(self._tasks[task_index].id, numbers, stride, stable, want)
        status = SimulationStatus(attempt.status)
        if attempt.scene is None:
            return INVALID
        images = None if attempt.observations is None else np.ascontiguousarray(attempt.observations[:, ::-1])
        objects = attempt.features
        return Simulation(
            status, images, None if objects is None else featurize(attempt.scene, objects, self._tier.balls)
        )

    def simulate_single(
        self,
        task_index: int,
        action: Sequence[float] | np.ndarray,
        need_images: bool = True,
        stride: int = 60,
        stable: bool = False,
    ) -> tuple[SimulationStatus, np.ndarray | None]:
        """The status and the images of `simulate_action`, for old code."""
        result = self.simulate_action(task_index, action, need_images=need_images, stride=stride, stable=stable)
        return result.status, result.images

    def _numbers(self, action: Sequence[float] | np.ndarray) -> np.ndarray:
        """The action as float [numbers]; an ActionError if its shape is wrong or it has a NaN."""
        try:
            numbers = np.asarray(action, float)
        except (TypeError, ValueError):
            raise ActionError(f"an action must be {self.action_space_dim} numbers, not {action!r}") from None
        if numbers.shape != (self.action_space_dim,):
            shape = list(numbers.shape)
            raise ActionError(
                f"an action of tier {self.tier} has {self.action_space_dim} numbers, not the shape {shape}"
            )
        if np.isnan(numbers).any():
            raise ActionError(f"an action must have no NaN: {numbers.tolist()}")
        return numbers


def _wants(images: bool, objects: bool) -> tuple[tuple[str, bool], ...]:
    """The fields of an attempt, and whether each is needed."""
    return ("observations", images), ("features", objects)
