"""Attempts of people: what the browser sends, and the shots, simulated as those of agents are.

The whole sequence of shots is played from the start of the level. The server keeps nothing between shots. A longer
sequence begins bit for bit like the shorter, so that its motion from the last release on continues what was seen.
"""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import local
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from tumble.errors import TumbleError
from tumble.output import plural
from tumble.phyq.catalogue.level import Level
from tumble.phyq.catalogue.physics import STRETCH_LIMIT
from tumble.phyq.simulation.episode_views import motion, objects_and_bodies
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.game_turns import NEXT_BIRD_STEPS
from tumble.phyq.simulation.shots import LONGEST_WAIT, SHORTEST_PULL, Shot, ShotError
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.web.level_data import MOST_BIRDS, MOST_CHARACTERS, TASK_ID
from tumble.web.play import packed_motion
from tumble.web.responses import json_bytes

MOST_LEVELS = 1000
"""Levels whose settled states a thread keeps."""


@dataclass(frozen=True)
class PersonAttempt:
    """The shots of a person so far; motion is wanted from the release of one of them on."""

    level: Level
    shots: tuple[Shot, ...]
    from_shot: int = 0


class _Levels(local):
    """A simulator for each thread of the queue, with the levels that were played lately."""

    def __init__(self) -> None:
        self.simulator = Simulator([], threads=1)
        self.index_of: dict[Level, int] = {}

    def indices(self, levels: Sequence[Level]) -> list[int]:
        """Where the simulator has these levels."""
        new = [level for level in dict.fromkeys(levels) if level not in self.index_of]
        if len(self.index_of) + len(new) > MOST_LEVELS:
            _Levels.__init__(self)
            new = list(dict.fromkeys(levels))
        if new:
            self.index_of |= zip(new, self.simulator.add(new).tolist(), strict=True)
        return [self.index_of[level] for level in levels]


_levels = _Levels()
_objects_and_bodies = lru_cache(maxsize=MOST_LEVELS)(objects_and_bodies)


def simulate_attempts(attempts: Sequence[PersonAttempt]) -> list[Any]:
    """JSON for each attempt: what happened; a TumbleError where its shots don't fit its level."""
    played = zip(attempts, play_attempts(attempts), strict=True)
    return [made if isinstance(made, TumbleError) else _answer(*made, attempt) for attempt, made in played]


def play_attempts(attempts: Sequence[PersonAttempt]) -> list[tuple[Episodes, int] | TumbleError]:
    """The batch and the row in which each attempt was played; a TumbleError where its shots don't fit its level."""
    problems = [_problem(attempt) for attempt in attempts]
    rows = [k for k, problem in enumerate(problems) if problem is None]
    if not rows:
        return [problem for problem in problems if problem is not None]
    of = _levels.indices([attempts[k].level for k in rows])
    episodes = _levels.simulator.play(of, [attempts[k].shots for k in rows], want=("trajectory",), stride=1)
    return [problem or (episodes, rows.index(k)) for k, problem in enumerate(problems)]


def simulate_own(attempts: Sequence[PersonAttempt]) -> list[Any]:
    """The same for own levels: each alone, and none is kept."""
    answers: list[Any] = [_problem(attempt) for attempt in attempts]
    for k, attempt in enumerate(attempts):
        if answers[k] is None:
            played = Simulator([attempt.level], threads=1).play([0], [attempt.shots], want=("trajectory",), stride=1)
            answers[k] = _answer(played, 0, attempt)
    return answers


def _problem(attempt: PersonAttempt) -> TumbleError | None:
    shots, birds = len(attempt.shots), len(attempt.level.birds)
    return ShotError(f"{shots} shots, but the level has {plural(birds, 'bird')}") if shots > birds else None


def _answer(episodes: Episodes, row: int, attempt: PersonAttempt) -> bytes | TumbleError:
    answer = answer_of(episodes, row, attempt)
    return answer if isinstance(answer, TumbleError) else json_bytes(answer)


def answer_of(episodes: Episodes, row: int, attempt: PersonAttempt) -> dict[str, Any] | TumbleError:
    """What happened as JSON values; frames count from the release of the first shot whose motion is wanted.

    `start` are poses of all objects in the first frame, as float32 [objects, 3] in base64, NaN for those not there.
    """
    used = int(episodes.shots_used[row])
    if attempt.from_shot >= used:
        return ShotError(f"the level is over after {used} of {len(attempt.shots)} shots")
    begin = int(episodes.released[row, attempt.from_shot])
    seen = motion(episodes, row).poses[begin - int(episodes.start[row]) :].astype(np.float32)
    status = str(episodes.status[row])
    landed = int(episodes.landed[row, used - 1])
    return {
        "status": status,
        "pigs_left": int(episodes.pigs_left[row]),
        "kills": episodes.kills[row, :used].tolist(),
        "shots_used": used,
        "steps": int(episodes.steps[row]),
        "score": int(episodes.score[row]),
        "seconds": round(float(episodes.seconds[row]), 2),
        "from_shot": attempt.from_shot,
        **{name: _frames(getattr(episodes, name)[row, :used], begin) for name in ("released", "tapped", "landed")},
        "next_ready": landed + NEXT_BIRD_STEPS - begin if status == "open" else None,
        "died": _deaths(episodes, row, begin),
        "start": b64encode(seen[0].astype("<f4").tobytes()).decode("ascii"),
        "motion": packed_motion(seen),
    }


def _frames(steps: np.ndarray, begin: int) -> list[int | None]:
    """Frames of the motion for steps of the level; None for never."""
    return [step - begin if step else None for step in steps.tolist()]


def _deaths(episodes: Episodes, row: int, begin: int) -> list[tuple[int, int]]:
    """Objects that died, exploded or left, each with the frame; before the motion's start it is below 0."""
    _, bodies = _objects_and_bodies(episodes.worlds[episodes.level_of[row]])
    steps = episodes.died[row, bodies]
    return [(int(k), int(steps[k]) - begin) for k in np.flatnonzero(steps)]


TaskId = Annotated[str, Field(pattern=f"^{TASK_ID}$")]
LevelText = Annotated[str, Field(max_length=MOST_CHARACTERS)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class ShotRequest(_Request):
    """A shot, with the limits of `Shot`."""

    angle: Annotated[float, Field(ge=-180.0, le=180.0, allow_inf_nan=False)]
    stretch: Annotated[float, Field(ge=SHORTEST_PULL, le=STRETCH_LIMIT, allow_inf_nan=False)] = 1.0
    tap_ms: Annotated[float, Field(ge=0.0, le=1000.0 * LONGEST_WAIT, allow_inf_nan=False)] | None = None
    delay: Annotated[float, Field(ge=0.0, le=LONGEST_WAIT, allow_inf_nan=False)] | None = None

    def shot(self) -> Shot:
        """The shot as agents make it."""
        return Shot(self.angle, self.stretch, tap_ms=self.tap_ms, delay=self.delay)


class AttemptRequest(_Request):
    """The shots of an attempt at a task or an own level so far; motion is wanted from one of them on."""

    task: TaskId | None = None
    level: LevelText | None = None
    shots: Annotated[list[ShotRequest], Field(min_length=1, max_length=MOST_BIRDS)]
    from_shot: Annotated[int, Field(ge=0, lt=MOST_BIRDS)] = 0

    @model_validator(mode="after")
    def _is_whole(self) -> "AttemptRequest":
        if (self.task is None) == (self.level is None):
            raise ValueError("give a task or a level")
        if self.from_shot >= len(self.shots):
            raise ValueError(f"there is no shot {self.from_shot} among {len(self.shots)}")
        return self


class LevelRequest(_Request):
    """The text of a level file."""

    text: LevelText


class EditedLevelRequest(_Request):
    """A level that a person makes, as the text of its file."""

    level: LevelText


class SweepRequest(EditedLevelRequest):
    """Random shots at such a level, from a number of the list on."""

    first: Annotated[int, Field(ge=0, lt=1_000_000)]
