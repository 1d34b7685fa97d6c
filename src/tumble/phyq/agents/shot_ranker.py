"""Shot ranker: a network scores candidate shots; the best is played, and failed attempts lower those like it.

The network has seen which of many random shots win tasks of the training templates of all scenarios. Its weights
come with the package.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from tumble.learning.settings import shipped_checkpoint
from tumble.phyq.agents.agent import Agent, AttemptState, SettingError
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.models.ranker.ranker import RETRIES, Ranked, Ranker, candidate_shots, refined_shots
from tumble.phyq.models.ranker.scenes import scene_of_objects
from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.simulation.shots import Shot
from tumble.runs.participant import Given

checkpoint_path = partial(shipped_checkpoint, "tumble.phyq")


KEPT_SCENES = 256
"""Scenes whose ranked candidates are kept, for further attempts at the same tasks."""
REFINED_SHARE = 0.25
"""Share of the candidates that are tried around the best of the others."""


@dataclass
class ShotRanker(Agent):
    """Plays the shot that most likely wins, or leads to a win with a later bird."""

    checkpoint: str = ""
    """File of weights; by default those that come with the package."""
    candidates: int = 400
    """Shots that are scored."""
    device: str = "cpu"
    """Where the network runs: cpu or cuda."""
    seed: int = 0
    """Decides which candidates are scored."""

    def __post_init__(self) -> None:
        if self.candidates < 1:
            raise SettingError(f"candidates must be a whole number from 1 on, not {self.candidates!r}")
        self._ranker = Ranker(checkpoint_path("shot-ranker", self.checkpoint), self.device)
        self._kept: dict[tuple[str, tuple[Shot, ...]], Ranked] = {}

    def given(self) -> Given:
        return Given(
            tasks=("shapes and states", "platforms and masses"), attempts=("status",), training=("simulated actions",)
        )

    def propose(self, task: Task, past: Sequence[Attempt], state: AttemptState) -> Shot:
        before = state.current.shots if state.current else ()
        same = [
            attempt for attempt in past if attempt.shots[: len(before)] == before and len(attempt.shots) > len(before)
        ]
        won = next((attempt for attempt in same if attempt.won), None)
        if won is not None:
            return won.shots[len(before)]
        ranked = self._ranked(task, before, state)
        scores = ranked.log_chances.copy()
        for attempt in same:
            failed = _numbers_of_shot(attempt.shots[len(before)])
            nearest = int(np.nansum(np.abs(ranked.shots - failed), axis=1).argmin())
            target, is_last = int(ranked.targets[nearest]), len(state.birds) == 1
            scores += RETRIES.log_factors(ranked.shots, ranked.targets, failed, target, is_last)
        return _shot_of_numbers(ranked.shots[int(scores.argmax())])

    def _ranked(self, task: Task, before: tuple[Shot, ...], state: AttemptState) -> Ranked:
        """The ranked candidates for the next shot."""
        key = (task.id, before)
        if key not in self._kept:
            if len(self._kept) >= KEPT_SCENES:
                self._kept.pop(next(iter(self._kept)))
            self._kept[key] = self._rank(state, task)
        return self._kept[key]

    def _rank(self, state: AttemptState, task: Task) -> Ranked:
        rng = np.random.default_rng([self.seed, *task.id.encode(), state.shots])
        scene = scene_of_objects(state.objects, state.birds, task.level.rest_point)
        refined = round(REFINED_SHARE * self.candidates)
        shots = candidate_shots(max(1, self.candidates - refined), state.birds[0] != "red", float(rng.random()))
        first = self._ranker.rank(scene, shots)
        if not refined:
            return first
        more = self._ranker.rank(scene, refined_shots(first.shots, first.log_chances, refined, rng))
        return Ranked(
            np.concatenate([first.shots, more.shots]),
            np.concatenate([first.log_chances, more.log_chances]),
            np.concatenate([first.targets, more.targets]),
        )


def _shot_of_numbers(numbers: np.ndarray) -> Shot:
    angle, stretch, tap = (float(value) for value in numbers)
    return Shot(angle, stretch, tap_share=None if np.isnan(tap) else tap)


def _numbers_of_shot(shot: Shot) -> np.ndarray:
    return np.array([shot.angle, shot.stretch, np.nan if shot.tap_share is None else shot.tap_share])
