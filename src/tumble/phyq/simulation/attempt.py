"""Attempts: sequences of shots, played on many levels in one batch, with their results; as rows of a log."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tumble.phyq.catalogue.level import Level
from tumble.phyq.simulation import episode_views
from tumble.phyq.simulation.episodes import EpisodeError, Episodes
from tumble.phyq.simulation.shots import Shot, ShotError
from tumble.phyq.simulation.simulator import Simulator
from tumble.runs.log import Row

WANTS = ("trajectory", "events")
"""What an agent may want to see of its attempts besides their results."""


@dataclass(frozen=True)
class Attempt:
    """A sequence of shots from the start of a level, and its result."""

    shots: tuple[Shot, ...]
    status: str
    """won, lost, cap (time ran out) or open (birds are left)."""
    pigs_left: int
    kills: tuple[int, ...]
    """Pigs that died from each release until the next."""
    steps: int
    score: int = 0
    """Points of the game."""
    episodes: Episodes | None = None
    """The batch in which it was played, if the agent wants `motion` or `events`."""
    row: int = 0
    """The row of the batch."""

    @property
    def won(self) -> bool:
        return self.status == "won"

    @property
    def motion(self) -> episode_views.Motion:
        """The motion of all objects, for agents that want "trajectory"."""
        return episode_views.motion(self._kept_episodes(), self.row)

    @property
    def events(self) -> list[episode_views.Event]:
        """Releases, hits, deaths, …, for agents that want "events"."""
        return episode_views.events(self._kept_episodes(), self.row)

    @property
    def end(self) -> episode_views.View:
        """The view after the last shot; only of an attempt that is open."""
        return episode_views.end(self._kept_episodes(), self.row)

    def _kept_episodes(self) -> Episodes:
        if self.episodes is None:
            raise EpisodeError(f"this was not kept: an agent that uses it must set wants = {WANTS!r}, or one of these")
        return self.episodes


def empty_attempt(level: Level) -> Attempt:
    """An attempt without a shot."""
    return Attempt((), "open", len(level.pigs), (), 0)


def attempt_of(episodes: Episodes, row: int, shots: Sequence[Shot], keep: bool = False) -> Attempt:
    """The attempt whose shots were played in a row of a batch; with `keep`, it keeps the batch for what can be seen."""
    return Attempt(
        tuple(shots),
        str(episodes.status[row]),
        int(episodes.pigs_left[row]),
        tuple(episodes.kills[row, : len(shots)].tolist()),
        int(episodes.steps[row]),
        int(episodes.score[row]),
        episodes if keep else None,
        row,
    )


def attempt_shots(
    simulator: Simulator, numbers: Sequence[int], sequences: Sequence[Sequence[Shot]], wants: Collection[str] = ()
) -> list[Attempt]:
    """Plays each sequence of shots on the simulator's level of the corresponding number.

    Open attempts keep their end state, from which the agent chooses its next shot. Duplicates are played once.
    """
    levels = [simulator.worlds[number].level for number in numbers]
    requests = list(zip(numbers, map(tuple, sequences), strict=True))
    unique = list(dict.fromkeys((number, shots) for number, shots in requests if shots))
    if not unique:
        return [empty_attempt(level) for level in levels]
    may_stay_open = any(len(shots) < len(simulator.worlds[number].level.birds) for number, shots in unique)
    kept = {*wants, *(("states",) if may_stay_open else ())}
    played = simulator.play([number for number, _ in unique], [shots for _, shots in unique], kept)
    attempts: dict[tuple[int, tuple[Shot, ...]], Attempt] = {}
    for row, (number, shots) in enumerate(unique):
        attempts[number, shots] = attempt_of(played, row, shots, keep=bool(wants) or played.status[row] == "open")
    return [attempts.get(request) or empty_attempt(level) for request, level in zip(requests, levels, strict=True)]


SHOT_FIELDS = ("angle", "stretch", "tap_ms", "tap_share", "delay")
"""The numbers of a shot; None for what a shot does not have."""


def numbers_of(shots: Sequence[Shot]) -> list[float | None]:
    """The numbers of shots, one after the other."""
    values = [getattr(shot, name) for shot in shots for name in SHOT_FIELDS]
    return [None if value is None else float(value) for value in values]


def shots_of(numbers: Sequence[float | None]) -> tuple[Shot, ...]:
    """The shots of numbers."""
    if len(numbers) % len(SHOT_FIELDS):
        raise ShotError(
            f"{len(numbers)} numbers are not shots: each shot has {len(SHOT_FIELDS)}: {', '.join(SHOT_FIELDS)}"
        )
    rows = [numbers[first : first + len(SHOT_FIELDS)] for first in range(0, len(numbers), len(SHOT_FIELDS))]
    return tuple(Shot(**dict(zip(SHOT_FIELDS, row, strict=True))) for row in rows)  # type: ignore[arg-type]


STATUS_CODES = {"won": 1, "open": 0, "lost": -1, "cap": -2}
"""In run logs; open: the agent gave up with birds left."""

STATUS_NAMES = {code: status for status, code in STATUS_CODES.items()}

WON = STATUS_CODES["won"]
GAVE_UP = STATUS_CODES["open"]


def row_of(number: int, attempt: Attempt, scored: bool = False) -> Row:
    """An attempt as a row of the log; with `scored`, also the game's score."""
    status = STATUS_CODES[attempt.status]
    row = {"attempt": number, "action": numbers_of(attempt.shots), "status": status, "steps": attempt.steps}
    return {**row, "score": attempt.score} if scored else row


def score_of(row: Row) -> int:
    """The points of an attempt as competitions count them: 0 unless it won."""
    return int(row["score"] or 0) if row["status"] == WON else 0
