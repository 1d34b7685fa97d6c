"""The private game of a client: its state, its level, its shots and its scores. It simulates nothing itself.

The ground truth that clients read is the symbolic state as JSON text.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np

from tumble.errors import TumbleError
from tumble.phyq.catalogue.level import Level
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.observation.objects import GameObject
from tumble.phyq.observation.view import View
from tumble.phyq.server.wire import RequestedShot
from tumble.phyq.simulation import episode_views
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import Shot

GROUND_TRUTH_PADDING = b" " * 5
"""Clients drop the last five characters; as spaces they are also valid for those that do not."""


def ground_truth_text(view: View, noise: np.random.Generator | None = None) -> bytes:
    """The text of a view, with the labels of the original's development mode, and its padding.

    Eggs have no label that clients know, and are left out.
    """
    objects = tuple(obj for obj in view.objects if obj.kind != "egg")
    state = View(objects, view.slingshot).symbolic(labels=True, noise=noise)
    return json.dumps(state, separators=(",", ":")).encode("ascii") + GROUND_TRUTH_PADDING


def without_spent_birds(view: View, level: Level, fired: int) -> View:
    """The view with unfired birds only.

    Clients take the highest bird, or the one nearest to the top of the slingshot, for the next one to be shot.
    """
    first = len(level.pieces)
    unfired = range(first + fired, first + len(level.birds))
    return View(tuple(_without_flown_birds(view.objects, unfired)), view.slingshot)


def _without_flown_birds(objects: Iterable[GameObject], unfired: range) -> Iterable[GameObject]:
    return (obj for obj in objects if obj.kind not in ("bird", "egg") or obj.number in unfired)


class GameState(IntEnum):
    """The states that the server reports; clients know more of them, some of which make clients fail."""

    MAIN_MENU = 1
    PLAYING = 5
    WON = 6
    LOST = 7
    NEW_TRAINING_SET = 9
    TERMINATED = 13


STATE_OF = {"won": GameState.WON, "lost": GameState.LOST, "cap": GameState.LOST, "open": GameState.PLAYING}
"""By status of an attempt."""


@dataclass(frozen=True)
class Served:
    """A level that clients can load: its task, and its view once it has come to rest."""

    task: Task
    start: View

    @cached_property
    def truth(self) -> bytes:
        """The ground truth before the first shot."""
        return ground_truth_text(self.start)


@dataclass(frozen=True)
class Played:
    """The shots of a game after they were simulated: a row of a batch of episodes."""

    episodes: Episodes
    row: int

    @property
    def status(self) -> str:
        return str(self.episodes.status[self.row])

    @property
    def score(self) -> int:
        return max(0, int(self.episodes.score[self.row]))


class Game:
    """One client's game; level numbers count from 1, and 0 is none."""

    def __init__(self, levels: Sequence[Served], attempts: int) -> None:
        self.levels, self.attempts = levels, attempts
        self.state = GameState.NEW_TRAINING_SET
        self.number = 0
        self.shots: list[Shot] = []
        self.played: Played | None = None
        """The simulation of all shots; None if there are none, or if some are not simulated yet."""
        self.scores: dict[int, int] = {}
        """The best score of each level that was won."""
        self._view: View | None = None
        self._truth: bytes | None = None
        self._given: Counter[int] = Counter()

    @property
    def served(self) -> Served:
        """The level that is loaded."""
        return self.levels[self.number - 1]

    @property
    def level(self) -> Level:
        return self.served.task.level

    @property
    def waits_for_simulation(self) -> bool:
        """Whether there are shots that are not simulated yet."""
        return bool(self.shots) and self.played is None

    @property
    def is_open(self) -> bool:
        """Whether there was a shot, and the level is neither won nor lost."""
        return bool(self.shots) and self.state is GameState.PLAYING

    @property
    def score(self) -> int:
        return self.played.score if self.played else 0

    @property
    def view(self) -> View:
        """What is seen now, with unfired birds only."""
        if self._view is None:
            self._view = self._seen()
        return self._view

    @property
    def truth(self) -> bytes:
        """The ground truth of what is seen, which clients ask for several times between two shots."""
        if self._truth is None:
            at_start = self.number and self.played is None
            self._truth = self.served.truth if at_start else ground_truth_text(self.view)
        return self._truth

    def _seen(self) -> View:
        if not self.number:
            return View(())
        if self.played is None:
            return self.served.start
        episodes, row = self.played.episodes, self.played.row
        fired = int(episodes.shots_used[row])
        return without_spent_birds(episode_views.end(episodes, row), self.level, fired)

    def ready_for_new_set(self) -> None:
        """Leaves the state at the start; changes nothing later."""
        if self.state is GameState.NEW_TRAINING_SET:
            self.state = GameState.MAIN_MENU

    def load(self, number: int) -> bool:
        """Loads a level from its start; False and no change if there is none of this number."""
        if not 1 <= number <= len(self.levels):
            return False
        self.number, self.state = number, GameState.PLAYING
        self.shots, self.played = [], None
        self._view = self._truth = None
        return True

    def load_next(self) -> int:
        """Loads the current level again while attempts are left, else the next one with attempts left, in a circle.

        Returns its number; 0 if there is none, and then the game is terminated.
        """
        count = len(self.levels)
        order = [self.number, *(1 + (self.number + k) % count for k in range(count))]
        number = next((one for one in order if one and self._given[one] < self.attempts), 0)
        if number:
            self._given[number] += 1
            self.load(number)
        else:
            self.state = GameState.TERMINATED
        return number

    def add_shot(self, requested: RequestedShot) -> bool:
        """Adds a shot, to be simulated; False if no bird is left, the level is over, or there is no pull."""
        if self.state is not GameState.PLAYING or len(self.shots) == len(self.level.birds):
            return False
        try:
            shot = requested.shot(self.level.rest_point, moving=self.waits_for_simulation)
        except TumbleError:
            return False
        self.shots.append(shot)
        self.played = None
        return True

    def apply(self, played: Played) -> None:
        """Takes over the simulation of all shots."""
        self.played = played
        self._view = self._truth = None
        self.state = STATE_OF[played.status]
        if self.state is GameState.WON:
            self.scores[self.number] = max(self.scores.get(self.number, 0), played.score)
