"""What the 180 angles lead to, from the starts of tasks and from the states after earlier shots.

The simulator is deterministic, so each pair of a state and an angle is simulated once and then looked up. A state is
the start of a task, or what a task looks like at rest after some shots; a shot from it wins, fails, or leads to a
further state. All pairs that are asked for together and are not known yet are played in one call of the simulator.
"""

from collections.abc import Sequence

import numpy as np
import torch

from tumble.engine.host.states import StateStore
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.catalogue.trajectory import DISCRETE_ANGLES
from tumble.phyq.envs.level_cache import LevelCache
from tumble.phyq.models.outcome_file import FirstShots
from tumble.phyq.models.state_pictures import StatePictures
from tumble.phyq.simulation import game_layout
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import Shot, ShotTable, table_of
from tumble.phyq.simulation.simulator import FROM_START, Earlier

ANGLES = len(DISCRETE_ANGLES)
UNKNOWN, FAILED, WON, CONTINUES = -1, 0, 1, 2
"""What is known of a shot."""
NO_STATE = -1
MOST_EPISODES = {"cpu": 20_000, "cuda": 200_000}
"""Shots in a call of the simulator, by device."""
MOST_STATES = {"cpu": 5_000, "cuda": 40_000}
"""The same where states at the end are kept, of 10 to 30 kB each."""


def shot_of(action: int) -> Shot:
    """The shot of an angle's index: full stretch, no tap.

    >>> shot_of(128).angle
    38.0
    """
    return Shot(DISCRETE_ANGLES[action])


class ShotOutcomes:
    """States of tasks, what they look like, and the outcomes of shots from them as far as they have been asked for."""

    def __init__(
        self,
        tasks: Sequence[Task],
        observation: str,
        device: torch.device,
        platforms: bool = True,
        threads: int = 0,
        known: FirstShots | None = None,
    ) -> None:
        """`known` are outcomes of first shots that were simulated before."""
        self.tasks = list({task.id: task for task in tasks}.values())
        self.pictures = StatePictures(observation, device)
        self.simulated = 0
        """Shots that were simulated."""
        self.looked_up = 0
        """Shots whose outcome was known."""
        self._platforms, self._kind = platforms, device.type
        self._levels = LevelCache(str(device), threads, limit=max(1, len(self.tasks)))
        level_of = self._levels.indices(self.tasks)
        self.birds = self._levels.birds[level_of]
        """int [tasks]."""
        count, most = len(self.tasks), int(self.birds.max(initial=1))
        self._row_of = {task.id: row for row, task in enumerate(self.tasks)}
        self._count = count
        self.task_of = np.arange(count, dtype=np.int32)
        """int [states]: indices of tasks; the first states are the starts of tasks, in their order."""
        self.shots = np.full((count, most), -1, np.int16)
        """int [states, birds]: the indices of the angles shot so far, -1 for none."""
        self.outcomes = np.full((count, ANGLES), UNKNOWN, np.int8)
        """int8 [states, angles]: UNKNOWN, FAILED, WON or CONTINUES."""
        self.next_states = np.full((count, ANGLES), NO_STATE, np.int32)
        """int [states, angles]: the states after shots that continue."""
        self._saved_of = np.full(count, FROM_START, np.int32)
        self._saved = StateStore()
        self._level_of = level_of
        worlds = self._levels.simulator.worlds
        self._output_ints = game_layout.output_count(max((len(world.members) for world in worlds), default=0), most)
        if known is not None:
            self.outcomes[:count] = known.outcomes(self.tasks, self.birds)
        self._draw(level_of, self._levels.starts[level_of])

    def __len__(self) -> int:
        return self._count

    def starts(self, task_ids: Sequence[str]) -> np.ndarray:
        """int [tasks]: the states in which tasks start."""
        return np.array([self._row_of[task_id] for task_id in task_ids], int)

    def play(self, states: np.ndarray, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Outcomes [n] of shots from states [n] by angles [n], and the states [n] after those that continue."""
        asked = np.asarray(states, np.int64) * ANGLES + angles
        new = np.unique(asked[self.outcomes.reshape(-1)[asked] == UNKNOWN])
        self.simulated += len(new)
        self.looked_up += len(asked) - len(new)
        from_states, by_angles = new // ANGLES, new % ANGLES
        last = self._shots_made(from_states) + 1 >= self.birds[self.task_of[from_states]]
        for rows, most in ((np.flatnonzero(last), MOST_EPISODES), (np.flatnonzero(~last), MOST_STATES)):
            for first in range(0, len(rows), most[self._kind]):
                part = rows[first : first + most[self._kind]]
                self._simulate(from_states[part], by_angles[part], keep=not last[part[0]])
        return self.outcomes.reshape(-1)[asked], self.next_states.reshape(-1)[asked]

    def first_shots(self) -> FirstShots:
        """The outcomes of first shots at tasks with one bird."""
        return FirstShots.of(self.tasks, self.birds, self.outcomes[: len(self.tasks)])

    def _shots_made(self, states: np.ndarray) -> np.ndarray:
        return np.asarray((self.shots[states] >= 0).sum(axis=1))

    def _simulate(self, states: np.ndarray, angles: np.ndarray, keep: bool) -> None:
        """Plays shots; with `keep`, birds may be left after them, and the states at the end are needed."""
        levels = self._level_of[self.task_of[states]]
        sequences = self._sequences(states, angles)
        played = self._levels.simulator.play(
            levels, self._table(sequences), ("states",) if keep else (), earlier=self._earlier(states)
        )
        goes_on = (played.status == "open") if keep else np.zeros(len(states), bool)
        self.outcomes[states, angles] = np.where(goes_on, CONTINUES, np.where(played.won, WON, FAILED))
        if goes_on.any():
            rows = np.flatnonzero(goes_on)
            self.next_states[states[rows], angles[rows]] = self._count + np.arange(len(rows))
            self._add_states(self.task_of[states[rows]], sequences[rows], played, rows)

    def _sequences(self, states: np.ndarray, angles: np.ndarray) -> np.ndarray:
        """int16 [n, birds]: the angles of earlier shots and of the next one."""
        sequences = np.array(self.shots[states])
        sequences[np.arange(len(states)), self._shots_made(states)] = angles
        return sequences

    def _table(self, sequences: np.ndarray) -> ShotTable:
        counts = (sequences >= 0).sum(axis=1)
        width = int(counts.max(initial=1))
        degrees = np.array(DISCRETE_ANGLES)[np.maximum(sequences[:, :width], 0)]
        return table_of(degrees, counts=counts)

    def _earlier(self, states: np.ndarray) -> Earlier | None:
        """Where the shots from states continue; None where all are played from the start."""
        saved = self._saved_of[states]
        used, state_of = np.unique(saved[saved >= 0], return_inverse=True)
        if not len(used):
            return None
        numbers = np.full(len(states), FROM_START)
        numbers[saved >= 0] = state_of
        return Earlier(self._saved.take(used, self._output_ints), numbers)

    def _add_states(self, tasks: np.ndarray, sequences: np.ndarray, played: Episodes, rows: np.ndarray) -> None:
        """Adds the states in which the episodes `rows` ended."""
        can_continue, saved = played.states_to_continue()
        kept = rows[can_continue[rows]]
        saved_of = np.full(len(played), FROM_START)
        saved_of[kept] = len(self._saved) + np.arange(len(kept))
        if len(kept):
            self._saved.append(saved.take(kept))
        count = len(rows)
        self.task_of = np.concatenate([self.task_of, tasks])
        self.shots = np.concatenate([self.shots, sequences])
        self.outcomes = np.concatenate([self.outcomes, np.full((count, ANGLES), UNKNOWN, np.int8)])
        self.next_states = np.concatenate([self.next_states, np.full((count, ANGLES), NO_STATE, np.int32)])
        self._saved_of = np.concatenate([self._saved_of, saved_of[rows].astype(np.int32)])
        self._count += count
        levels = self._level_of[tasks]
        self._draw(levels, self._levels.end_poses(played.level_of, played)[rows])

    def _draw(self, levels: np.ndarray, poses: np.ndarray) -> None:
        self.pictures.draw(self._levels.painter, self._levels.scenes(levels, poses, self._platforms))
