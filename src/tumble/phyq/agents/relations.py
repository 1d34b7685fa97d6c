"""How the things of a level stand to each other, as far as one can see: what rests on what, what belongs together."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tumble.phyq.observation.things import Thing
from tumble.phyq.tasks.outlines import Box, bounding_box

TOUCHING = 0.12
"""Units between things that count as touching."""
LEAST_SHARED = 0.02
"""Units that one thing must lie above another to rest on it."""
ROUND = ("circle", "circle_small")


@dataclass(frozen=True)
class Relations:
    """Things by their numbers in `things`."""

    things: tuple[Thing, ...]

    @cached_property
    def boxes(self) -> list[Box]:
        """Around each thing."""
        return [bounding_box(thing.corners) for thing in self.things]

    def of_kind(self, kind: str) -> list[int]:
        """All pigs, blocks, platforms or TNT."""
        return [k for k, thing in enumerate(self.things) if thing.kind == kind]

    @cached_property
    def round_blocks(self) -> list[int]:
        return [k for k in self.of_kind("block") if self.things[k].name in ROUND]

    @cached_property
    def rests(self) -> np.ndarray:
        """bool [things, things]: the first rests on the second."""
        count = len(self.things)
        found = np.zeros((count, count), bool)
        for k in range(count):
            for other in range(count):
                found[k, other] = k != other and self._rests_on(k, other)
        return found

    def _rests_on(self, upper: int, lower: int) -> bool:
        if self.things[upper].kind == "platform":
            return False
        a, b = self.boxes[upper], self.boxes[lower]
        shared = min(a.right, b.right) - max(a.left, b.left)
        sloping = self.things[lower].kind == "platform" and b.bottom < a.bottom < b.top  # somewhere on a ramp
        return shared > LEAST_SHARED and (abs(a.bottom - b.top) <= TOUCHING or sloping)

    def supports(self, k: int) -> list[int]:
        """What a thing rests on."""
        return [int(other) for other in np.flatnonzero(self.rests[k])]

    def carried(self, k: int) -> set[int]:
        """All that rests on a thing, directly or not."""
        found: set[int] = set()
        waiting = [k]
        while waiting:
            above = {int(other) for other in np.flatnonzero(self.rests[:, waiting.pop()])} - found
            found |= above
            waiting += above
        return found

    def touching(self, k: int, other: int) -> bool:
        """Whether the boxes of two things touch."""
        a, b = self.boxes[k], self.boxes[other]
        return (
            min(a.right, b.right) - max(a.left, b.left) >= -TOUCHING
            and min(a.top, b.top) - max(a.bottom, b.bottom) >= -TOUCHING
        )

    @cached_property
    def buildings(self) -> list[list[int]]:
        """Groups of touching blocks."""
        left = set(self.of_kind("block"))
        groups = []
        while left:
            group, waiting = set(), [min(left)]
            while waiting:
                k = waiting.pop()
                group.add(k)
                left.discard(k)
                waiting += [other for other in left if self.touching(k, other) and other not in waiting]
            groups.append(sorted(group))
        return groups

    def around(self, group: Sequence[int]) -> Box:
        """The box around some things."""
        boxes = [self.boxes[k] for k in group]
        return Box(
            min(box.left for box in boxes),
            min(box.bottom for box in boxes),
            max(box.right for box in boxes),
            max(box.top for box in boxes),
        )

    def distance(self, k: int, other: int) -> float:
        """Between two things' middles."""
        a, b = self.things[k], self.things[other]
        return float(np.hypot(a.x - b.x, a.y - b.y))
