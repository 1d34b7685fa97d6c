"""What the perceiver finds in the five videos of a set, and the truth about what it found.

Found bodies are matched to the true ones by where they are seen, else by their looks. The truth in the order of
perceived bodies, hidden properties and what happens later, takes the place of a model's own inference or prediction,
to measure which of its modules errors come from. A body that was not perceived is left out, with all of its events.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations

import numpy as np

from tumble.comphy.catalogue.body import Body, Motion
from tumble.comphy.catalogue.task import Appearance
from tumble.comphy.catalogue.video_set import CHANGES, Alteration, VideoSet, world_key
from tumble.comphy.catalogue.world import SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.events import Event, events_of


@dataclass(frozen=True, eq=False)
class PerceivedVideo:
    """The tracks of a video's bodies."""

    members: tuple[int, ...]
    """Indices of the set's bodies; the columns of all arrays are in this order."""
    seen: np.ndarray
    """bool [frame, body]: whether the body was detected."""
    centres: np.ndarray
    """float64 [frame, body, 2]: where the centre of the body (of the solid, not of its box) is in the picture, x and y
    from 0 to 1 as `Camera.project` gives them; beyond that at a border; NaN where it is not seen."""
    errors: np.ndarray
    """float64 [frame, body]: estimated standard error of a centre's coordinates, in pixels of a picture 240 wide."""
    yaws: np.ndarray
    """float64 [frame, body]: heading in radians, modulo a full turn divided by the FOLDS of the shape (a quarter turn
    for cubes); NaN for round shapes."""
    boxes: np.ndarray
    """float32 [frame, body, 4]: boxes of the visible part, normalised as in `dataset.tracks`; -1 where not seen."""

    @property
    def frames(self) -> int:
        """The number of frames."""
        return len(self.seen)


@dataclass(frozen=True, eq=False)
class Perception:
    """What is found in the videos of a set."""

    appearances: tuple[Appearance, ...]
    """Of each body."""
    target: PerceivedVideo
    references: tuple[PerceivedVideo, ...]
    forms: tuple[int, ...] = ()
    """Of each body, which variation of its shape it is, if that is known; the perceiver does not tell."""


MAX_DISTANCE = 0.05
"""Between the centres of matched bodies, on average, as a share of the picture's width: about half a body."""
MAX_DIFFERENT = 2
"""Attributes of looks in which bodies that are matched by looks may differ."""
MAX_FOUND = 7
"""Bodies that are tried; a set has five at most."""
UNMATCHED_COST = 1e6


def match_by_looks(found: Sequence[Body], true: Sequence[Body]) -> tuple[int | None, ...]:
    """For each true body the one found that looks like it; None if there is none.

    >>> red, blue = Body("red", "metal", "cube"), Body("blue", "metal", "cube")
    >>> match_by_looks([blue, Body("red", "metal", "sphere")], [red, blue])
    (1, 0)
    """
    different = [[sum(map(str.__ne__, one.appearance, other.appearance)) for other in found] for one in true]
    return _assigned(np.array(different, float).reshape(len(true), len(found)), MAX_DIFFERENT)


def match_by_place(perception: Perception, motion: Motion) -> tuple[int | None, ...]:
    """For each true body the one found in the target that is where it is, over the frames in which both are seen."""
    true = CAMERA.project(motion.positions[:SHOWN_FRAMES])[..., :2]
    video = perception.target
    costs = np.full((motion.bodies, len(perception.appearances)), UNMATCHED_COST)
    for column, body in enumerate(video.members):
        frames = min(video.frames, len(true))
        for one in range(motion.bodies):
            both = video.seen[:frames, column] & motion.in_view[:frames, one]
            if both.any():
                offsets = (video.centres[:frames, column] - true[:frames, one])[both] * (1.0, 1.0 / CAMERA.aspect)
                costs[one, body] = np.linalg.norm(offsets, axis=-1).mean()
    return _assigned(costs, MAX_DISTANCE)


def _assigned(costs: np.ndarray, most: float) -> tuple[int | None, ...]:
    """The assignment with the least sum of costs [true, found], without pairs that cost more than `most`."""
    trues, founds = len(costs), min(costs.shape[1], MAX_FOUND)
    capped = np.where(costs[:, :founds] > most, UNMATCHED_COST, costs[:, :founds])
    padded = np.concatenate([capped, np.full((trues, max(trues - founds, 0)), UNMATCHED_COST)], axis=1)
    rows = np.arange(trues)
    best = min(permutations(range(padded.shape[1]), trues), key=lambda order: padded[rows, list(order)].sum())
    return tuple(body if padded[row, body] < UNMATCHED_COST else None for row, body in enumerate(best))


@dataclass(frozen=True, eq=False)
class TrueWorld:
    """What happens in some frames of the target, in the world as it is or after a change."""

    events: tuple[Event, ...]
    """By frame."""
    places: np.ndarray
    """float64 [frame, body, 2]: on the table; NaN where a body is not in view, or is not a true one."""


@dataclass(frozen=True, eq=False)
class MatchedTruth:
    """A set, and which of its bodies were perceived."""

    videos: VideoSet
    numbers: tuple[int | None, ...]
    """For each perceived body the true one; None if there is none."""

    def of(self, bodies: Sequence[int]) -> "MatchedTruth":
        """The truth about some of the perceived bodies, in this order."""
        return MatchedTruth(self.videos, tuple(self.numbers[k] for k in bodies))

    def bodies(self, appearances: Sequence[Appearance]) -> tuple[Body, ...]:
        """Bodies of perceived looks with their true masses and charges; what is not a true body has neither."""
        looks = [Body(*appearance) for appearance in appearances]
        true = self.videos.bodies
        return tuple(
            body if k is None else replace(body, mass=true[k].mass, charge=true[k].charge)
            for body, k in zip(looks, self.numbers, strict=True)
        )

    @cached_property
    def future(self) -> TrueWorld:
        """What happens after the shown frames."""
        return self._world(self.videos.bodies, self.videos.target, SHOWN_FRAMES, TARGET_FRAMES)

    @cached_property
    def altered(self) -> dict[Alteration, TrueWorld]:
        """What happens in the shown frames after every change of a perceived body whose world is known.

        After a change to what a body is anyway, as of a light one to be lighter, all is as in the target.
        """
        bodies, known = self.videos.bodies, self.videos.altered
        worlds = {}
        for body, number in enumerate(self.numbers):
            if number is None:
                continue
            for change in CHANGES:
                true = Alteration(number, change)
                after = true.apply(bodies)
                motion = self.videos.target if world_key(after) == world_key(bodies) else known.get(true)
                if motion is not None:
                    worlds[Alteration(body, change)] = self._world(after, motion, 0, SHOWN_FRAMES)
        return worlds

    def _world(self, bodies: tuple[Body, ...], motion: Motion, first: int, end: int) -> TrueWorld:
        """The events and places in the frames from `first` to before `end`."""
        perceived = {true: k for k, true in enumerate(self.numbers) if true is not None}
        events = tuple(
            replace(event, bodies=tuple(sorted(perceived[k] for k in event.bodies)))
            for event in events_of(bodies, motion, first, end)
            if all(k in perceived for k in event.bodies)
        )
        places = np.full((end - first, len(self.numbers), 2), np.nan)
        columns, trues = list(perceived.values()), list(perceived)
        seen = motion.in_view[first:end, trues, None]
        places[:, columns] = np.where(seen, motion.positions[first:end, trues, :2], np.nan)
        return TrueWorld(events, places)


def match_truth(perception: Perception, videos: VideoSet) -> MatchedTruth:
    """The truth about perceived bodies: those at the same place in the target, else those that look the same."""
    numbers: list[int | None] = [None] * len(perception.appearances)
    by_place = match_by_place(perception, videos.target)
    for true, found in enumerate(by_place):
        if found is not None:
            numbers[found] = true
    rest = [k for k, true in enumerate(numbers) if true is None]
    missed = [true for true, found in enumerate(by_place) if found is None]
    looks = [Body(*perception.appearances[k]) for k in rest]
    for true, place in zip(missed, match_by_looks(looks, [videos.bodies[k] for k in missed]), strict=True):
        if place is not None and looks[place].appearance == videos.bodies[true].appearance:
            numbers[rest[place]] = true
    return MatchedTruth(videos, tuple(numbers))
