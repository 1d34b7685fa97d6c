"""Simulation: simulates shots with a model of the physics and plays the best; an upper bound, not a competitor.

The exact model is the game's own simulator. A noisy one has other friction, restitution and density: for every task and
each kind of body they are wrong by the same share, up or down at random. Flights do not depend on them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tumble.phyq.agents.agent import Agent, AttemptState, Proposal, SettingError
from tumble.phyq.agents.simulation.imagination import Imagination
from tumble.phyq.agents.simulation.search import Search
from tumble.phyq.agents.simulation.trials import Position
from tumble.phyq.generation.angle_sweeps import Shots
from tumble.phyq.generation.levels.candidates import candidates
from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.simulation.materials import wrong_materials
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.task import Task
from tumble.runs.given import Given

SAFE_MARGIN = 1.0
"""Degrees by which a shot may be wrong, in a noisy model, before the search for a safer one ends."""
PHASE = 0.38
"""Shift of the imagined angles from one attempt to the next, in spacings."""


@dataclass
class Simulation(Agent):
    """Knows the physics, exactly or with wrong constants."""

    imagined: int = 500
    """The most shots that it imagines before each proposal."""
    noise: float = 0.0
    """By how much friction, restitution and density of its model are wrong, as a share."""
    seed: int = 0
    """Of the wrong constants, which are drawn for every task."""
    device: str = "cpu"
    """Where it imagines."""

    def __post_init__(self) -> None:
        if self.imagined < 2:
            raise SettingError(f"imagined must be a whole number from 2 on, not {self.imagined!r}")
        if not 0.0 <= self.noise < 1.0:
            raise SettingError(f"noise must be a number from 0 to below 1, not {self.noise!r}")
        self._planned: dict[str, Shots] = {}

    def given(self) -> Given:
        return Given(
            tasks=("shapes and states", "platforms and masses", "exact physics"), attempts=("status", "states")
        )

    def propose(self, task: Task, past: Sequence[Attempt], state: AttemptState) -> Proposal:
        won = next((attempt.shots for attempt in past if attempt.won), ())
        if won:
            return won[state.shots :] or None
        done = state.current.shots if state.current else ()
        planned = self._planned.pop(task.id, ())
        continued = planned[len(done) :] if done and planned[: len(done)] == done else ()
        imagination = Imagination(self._simulator(task), self.imagined)
        failed = [attempt.shots for attempt in past]
        phase = PHASE * (state.attempt - 1)
        enough = SAFE_MARGIN if self.noise else 0.0
        search = Search(imagination, self._position(state), task.level.birds, failed, enough, phase)
        plan = search.plan(self._suggestions(state, continued)).shots
        first = len(done) + 1
        together = next((k for k in range(first, len(plan)) if plan[k].delay is None), len(plan))
        self._planned[task.id] = plan
        return plan[len(done) :] if self.noise == 0.0 else plan[len(done) : together]

    def _simulator(self, task: Task) -> Simulator:
        materials = wrong_materials(self.noise, f"{self.seed}/{task.id}") if self.noise else None
        return Simulator([task.level], self.device, materials=materials)

    def _position(self, state: AttemptState) -> Position:
        """The present position, with the real state of the world."""
        current = state.current
        if current is None or current.episodes is None:
            return Position()
        can_continue, states = current.episodes.states_to_continue()
        known = states.take(np.array([current.row])) if can_continue[current.row] else None
        return Position(current.shots, known)

    def _suggestions(self, state: AttemptState, continued: Shots) -> np.ndarray:
        """Shots [n, (angle, stretch, tap)]: what was planned before, and shots at pigs for birds with a power."""
        shots = list(continued[:1])
        if state.birds[0] != "red":
            shots += candidates(state.birds[0], [(one.x, one.y) for one in state.objects if one.kind == "pig"])
        rows = [(shot.angle, shot.stretch, np.nan if shot.tap_ms is None else shot.tap_ms) for shot in shots]
        return np.array(rows, float).reshape(-1, 3)
