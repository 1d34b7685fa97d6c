"""The truth about a set in the order of the bodies that were perceived: hidden properties, and what happens later.

It takes the place of a model's own inference or prediction, to measure which of its modules errors come from. A body
that was not perceived is left out, with all of its events.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tumble.comphy.catalogue.body import Body, Motion
from tumble.comphy.catalogue.task import Appearance
from tumble.comphy.catalogue.video_set import CHANGES, Alteration, VideoSet, world_key
from tumble.comphy.catalogue.world import SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.models.perceiver.matching import match_by_looks, match_by_place
from tumble.comphy.models.perceiver.perception import Perception
from tumble.comphy.simulation.events import Event, events_of


@dataclass(frozen=True, eq=False)
class World:
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
    def future(self) -> World:
        """What happens after the shown frames."""
        return self._world(self.videos.bodies, self.videos.target, SHOWN_FRAMES, TARGET_FRAMES)

    @cached_property
    def altered(self) -> dict[Alteration, World]:
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

    def _world(self, bodies: tuple[Body, ...], motion: Motion, first: int, end: int) -> World:
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
        return World(events, places)


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
