"""Whether episodes follow the rule of their template.

>>> from tumble.phyq.generation.solutions import solution
>>> from tumble.phyq.tasks.templates import template
>>> design = template("3.2")
>>> design.rule is not None
True
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tumble.phyq.generation.causes import EpisodeRecord, is_named
from tumble.phyq.simulation.episodes import EpisodeError, Episodes
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.level import Level
from tumble.phyq.tasks.rule import Destroy, Event, Kill, Move, Names, Release, Rule, Tap, Topple, Touch, as_names
from tumble.phyq.tasks.template import Template

STRIDE = 5
"""Steps between the poses that are kept for events of motion."""
MOST_REPLAYED = 512
"""Episodes that are played again in one batch, whose contacts and poses are in memory together."""

Span = tuple[int, int]
"""The first and the last step in which an event may have occurred."""


@dataclass(frozen=True)
class Verdict:
    """Whether an episode follows a rule, and if not, which event is missing, or occurred though it must not."""

    missing: Event | None = None
    forbidden: Event | None = None
    steps: tuple[tuple[int, ...], ...] = ()
    """The steps of the events that were found, for each sequence of the rule."""

    @property
    def followed(self) -> bool:
        """Whether the rule is followed."""
        return self.missing is None and self.forbidden is None

    def __str__(self) -> str:
        if self.missing is not None:
            return f"not followed: missing is that {self.missing}"
        return "followed" if self.forbidden is None else f"not followed, because {self.forbidden}"


def follows(rule: Rule, base: Level, episodes: Episodes, row: int) -> Verdict:
    """Whether an episode follows a rule about the pieces of the level `base`, to which distractors were added.

    The episodes need want=("events",), and "trajectory" too if the rule needs motion.
    """
    if rule.needs_motion and not len(episodes.frames):
        raise EpisodeError('the rule needs motion: play with want=("events", "trajectory")')
    record = EpisodeRecord(episodes, row, base)
    steps: list[tuple[int, ...]] = []
    for sequence in rule.sequences:
        found, missing = _match(sequence, record)
        steps.append(found)
        if missing is not None:
            return Verdict(missing=missing, steps=tuple(steps))
    deaths = [record.died(int(body)) for body in record.world.of_role("pig")]
    end = max(deaths) if all(deaths) else int(episodes.steps[row])
    for event in rule.never:
        if any(first <= end for first, _ in occurrences(event, record)):
            return Verdict(forbidden=event, steps=tuple(steps))
    return Verdict(steps=tuple(steps))


def _match(sequence: tuple[Event, ...], record: EpisodeRecord) -> tuple[tuple[int, ...], Event | None]:
    """The earliest steps in which the events of a sequence occur in order, and the first one that does not."""
    steps: list[int] = []
    now = 0
    for event in sequence:
        later = [max(now, first) for first, last in occurrences(event, record) if last >= now]
        if not later:
            return tuple(steps), event
        now = min(later)
        steps.append(now)
    return tuple(steps), None


def occurrences(event: Event, record: EpisodeRecord) -> list[Span]:
    """The steps in which an event occurs in an episode."""
    if isinstance(event, Touch):
        a, b = (_bodies(names, record) for names in (event.a, event.b))
        hits = record.hits
        first, second = hits["body"], hits["other"]
        touching = (a[first] & b[second]) | (a[second] & b[first])
        return [(step, step) for step in hits["step"][touching].tolist()]
    if isinstance(event, Kill | Destroy):
        victims = event.pig if isinstance(event, Kill) else event.block
        return [
            (step, step)
            for body in np.flatnonzero(_bodies(victims, record)).tolist()
            if (step := record.died(body)) and _is_cause(event.by, record.cause_names(body))
        ]
    if isinstance(event, Move | Topple):
        found = (_motion(event, body, record) for body in np.flatnonzero(_bodies(event.body, record)).tolist())
        return [span for span in found if span is not None]
    kind = "tap" if isinstance(event, Tap) else "release"
    assert isinstance(event, Tap | Release)
    of_kind = record.events[record.events["kind"] == kind]
    return [(step, step) for step in of_kind["step"][_bodies(event.bird, record)[of_kind["body"]]].tolist()]


def _is_cause(by: Names | None, causes: tuple[str, ...]) -> bool:
    return by is None or any(is_named(cause, wanted) for cause in causes for wanted in as_names(by))


def _bodies(names: Names, record: EpisodeRecord) -> np.ndarray:
    """bool [bodies]: the bodies that are meant."""
    wanted = as_names(names)
    return np.array([any(is_named(name, one) for one in wanted) for name in record.names])


def _motion(event: Move | Topple, body: int, record: EpisodeRecord) -> Span | None:
    """The steps in which a body has moved or turned far enough: between two frames, or when it is destroyed."""
    episodes, row = record.episodes, record.row
    frames = episodes.frames + int(episodes.start[row])
    poses = episodes.poses[row, :, body].astype(float)
    if isinstance(event, Move):
        reached = np.hypot(*(poses[:, :2] - poses[0, :2]).T) >= event.by
    else:
        reached = np.abs(poses[:, 2] - poses[0, 2]) >= np.radians(event.degrees)
    if reached.any():
        k = int(np.argmax(reached))
        return int(frames[k - 1]) + 1 if k else int(frames[0]), int(frames[k])
    died = record.died(body)
    return (died, died) if died and isinstance(event, Move) else None


def following(
    design: Template, simulator: Simulator, level_of: Sequence[int], shots: Sequence[Sequence[Shot]]
) -> np.ndarray:
    """bool [episodes]: whether sequences of shots follow the template's rule; all do if it has none."""
    followed = np.ones(len(shots), bool)
    rule = design.rule
    if rule is None:
        return followed
    want = ("events", "trajectory") if rule.needs_motion else ("events",)
    for first in range(0, len(shots), MOST_REPLAYED):
        part = slice(first, first + MOST_REPLAYED)
        episodes = simulator.play(level_of[part], shots[part], want, STRIDE)
        followed[part] = [follows(rule, design.base, episodes, row).followed for row in range(len(episodes))]
    return followed


def wins_by_rule(
    design: Template, simulator: Simulator, level_of: Sequence[int], shots: Sequence[Sequence[Shot]]
) -> np.ndarray:
    """bool [episodes]: whether sequences of shots win and follow the template's rule."""
    return wins_that_follow(design, simulator, level_of, shots, simulator.play(level_of, shots).won)


def wins_that_follow(
    design: Template,
    simulator: Simulator,
    level_of: Sequence[int],
    shots: Sequence[Sequence[Shot]],
    won: np.ndarray,
) -> np.ndarray:
    """bool [episodes]: which of the sequences that win follow the template's rule; only they are played again."""
    result = np.array(won)
    rows = np.flatnonzero(won).tolist()
    if rows and design.rule is not None:
        result[rows] = following(design, simulator, [level_of[k] for k in rows], [shots[k] for k in rows])
    return result
