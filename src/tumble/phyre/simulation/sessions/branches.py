"""Counterfactuals of one moment: what happens after each of many lists of interventions."""

from dataclasses import dataclass, field

import numpy as np

from tumble import engine
from tumble.phyre.simulation.attempt import SimulationError
from tumble.phyre.simulation.sessions.moment import Moment, all_bodies, moment_from
from tumble.phyre.simulation.sessions.plans import Planned
from tumble.phyre.simulation.status import NOT_SOLVED, SOLVED
from tumble.scene import Scene


@dataclass(frozen=True)
class Branches:
    """The outcomes of branches, one row for each."""

    status: np.ndarray
    """int8 [branches]: 1 solved, -1 not solved."""
    steps: np.ndarray
    """int32 [branches]: steps from the start of the attempt until the goal had held for 3 s, or until the end."""
    scenes: tuple[Scene, ...]
    scene_of: np.ndarray
    """int [branches]: the index of each branch's scene, with the bodies that it added."""
    frames: np.ndarray
    """int [frames]: steps after the moment at which poses were recorded; empty without a stride."""
    trajectories: np.ndarray
    """float32 [branches, frames, bodies, (x, y, angle)] in pixels and radians, NaN after a branch's end."""
    events: np.ndarray
    """engine.EVENT [n]: contacts that begin or end, if asked for; `world` is the branch."""
    states: engine.States | None = field(default=None, repr=False)
    """The ends of the branches, if asked for."""

    def __len__(self) -> int:
        return len(self.status)

    @property
    def solved(self) -> np.ndarray:
        """bool [branches]."""
        return np.asarray(self.status == SOLVED)

    @property
    def poses(self) -> np.ndarray:
        """float32 [branches, bodies, (x, y, angle)]: poses at the end; needs final=True."""
        return self._at_end(0)

    @property
    def velocities(self) -> np.ndarray:
        """float32 [branches, bodies, (x, y, angular)]: velocities at the end; needs final=True."""
        return self._at_end(1)

    def moment(self, branch: int) -> Moment:
        """The end of a branch; needs final=True."""
        if not -len(self) <= branch < len(self):
            raise SimulationError(f"there is no branch {branch}: there are {len(self)}")
        row = np.array([branch % len(self)])
        scene = self.scenes[self.scene_of[row[0]]]
        return moment_from(scene, self._saved().take(row), int(self.status[branch]))

    def _at_end(self, part: int) -> np.ndarray:
        states = self._saved()
        result = np.full((len(self), max(len(scene.bodies) for scene in self.scenes), 3), np.nan, np.float32)
        for k, scene in enumerate(self.scenes):
            rows = np.flatnonzero(self.scene_of == k)
            result[rows, : len(scene.bodies)] = all_bodies(scene, states.take(rows))[part]
        return result

    def _saved(self) -> engine.States:
        if self.states is None:
            raise SimulationError("the ends of these branches were not kept: call branch(…, final=True)")
        return self.states


def branches_from(planned: Planned) -> Branches:
    """The outcomes of rollouts after interventions."""
    rollouts = planned.rollouts
    return Branches(
        status=statuses_of(rollouts),
        steps=rollouts.steps,
        scenes=planned.scenes,
        scene_of=planned.scene_of,
        frames=rollouts.frames,
        trajectories=rollouts.poses,
        events=rollouts.events,
        states=rollouts.states,
    )


def statuses_of(rollouts: engine.Rollouts) -> np.ndarray:
    """int8 [worlds]: 1 solved, -1 not solved."""
    return np.where(rollouts.verdicts == 1, SOLVED, NOT_SOLVED).astype(np.int8)
