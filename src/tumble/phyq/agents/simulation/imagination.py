"""Imagined shots at one level: many positions continue in one call of the simulator, within a budget of shots."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from zlib import crc32

import numpy as np

from tumble.engine.host.states import joined_states
from tumble.phyq.agents.simulation.trials import Position, Trials
from tumble.phyq.generation.angle_sweeps import coarse_states
from tumble.phyq.simulation.earlier import FROM_START, Earlier
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.constants import STEP


@dataclass
class Imagination:
    """Plays imagined shots at a simulator's only level, at most `budget` of them.

    What counts is a bird that is launched: a sequence that continues from a known state counts for its last shot only.
    """

    simulator: Simulator
    budget: int
    spent: int = 0

    @property
    def left(self) -> int:
        """The shots that can still be imagined."""
        return self.budget - self.spent

    def shoot(
        self, positions: Sequence[Position], candidates: Sequence[np.ndarray], wait: float = np.nan
    ) -> list[Trials]:
        """Imagines shots [n, (angle, stretch, tap)] from each position; those beyond the budget are left out.

        With `wait`, episodes end this number of seconds after the release, or later once the next bird is in place.
        """
        rows = [
            (position, self._affordable(position, own)) for position, own in zip(positions, candidates, strict=True)
        ]
        rows = [(position, own) for position, own in rows if len(own)]
        sequences = [position.then(point) for position, own in rows for point in own]
        if not sequences:
            return []
        played = self.simulator.play(
            np.zeros(len(sequences), int),
            sequences,
            ("states",),
            stop_after=np.full(len(sequences), wait),
            earlier=_earlier(rows),
        )
        labels, damages = coarse_states(played)
        can_continue, states = played.states_to_continue()
        shot = np.array([len(position.shots) for position, own in rows for _ in own], int)
        every = np.arange(len(shot))
        released, landed = played.released[every, shot], played.landed[every, shot]
        columns = {
            "points": np.concatenate([own for _, own in rows]),
            "won": played.won,
            "damage": np.array(damages),
            "label": np.array([crc32(label) for label in labels], np.int64),
            "flight": np.where(landed > 0, (landed - released) * STEP, np.nan),
            "moving": (played.steps - np.maximum(landed, released)) * STEP,
            "can_continue": can_continue,
            "delay": np.where(played.stopped, (played.steps - released) * STEP, np.nan),
        }
        ends = np.cumsum([len(own) for _, own in rows]).tolist()
        parts = [np.arange(end - len(own), end) for end, (_, own) in zip(ends, rows, strict=True)]
        return [
            Trials(position, **{name: column[part] for name, column in columns.items()}, states=states.take(part))
            for (position, _), part in zip(rows, parts, strict=True)
        ]

    def _affordable(self, position: Position, candidates: np.ndarray) -> np.ndarray:
        """The first candidates, as many as can be imagined, which are then spent."""
        cost = 1 if position.state is not None else len(position.shots) + 1
        kept = candidates[: max(0, self.left) // cost]
        self.spent += cost * len(kept)
        return kept


def _earlier(rows: Sequence[tuple[Position, np.ndarray]]) -> Earlier | None:
    """Where each shot begins; None if all begin at the start."""
    known = [position.state for position, _ in rows if position.state is not None]
    if not known:
        return None
    state_of: list[int] = []
    seen = 0
    for position, own in rows:
        state_of += [FROM_START if position.state is None else seen] * len(own)
        seen += position.state is not None
    return Earlier(reduce(joined_states, known), np.array(state_of, int))
