"""Spatial relations between visible objects: support, contact and groups of blocks."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tumble.phyq.observation.objects import GameObject
from tumble.phyq.tasks.outlines import Box, bounding_box

TOUCHING = 0.12
"""The largest gap between objects that count as touching."""
MIN_OVERLAP = 0.02
"""The smallest horizontal overlap of an object with its support."""
ROUND = ("circle", "circle_small")


@dataclass(frozen=True)
class Relations:
    """Relations between objects, which are given by their indices."""

    objects: tuple[GameObject, ...]

    @cached_property
    def boxes(self) -> list[Box]:
        """The bounding box of each object."""
        return [bounding_box(obj.corners) for obj in self.objects]

    def of_kind(self, kind: str) -> list[int]:
        """The objects of a kind: pig, block, platform or tnt."""
        return [k for k, obj in enumerate(self.objects) if obj.kind == kind]

    @cached_property
    def round_blocks(self) -> list[int]:
        return [k for k in self.of_kind("block") if self.objects[k].name in ROUND]

    @cached_property
    def rests_on(self) -> np.ndarray:
        """bool [objects, objects]: whether the first rests on the second."""
        count = len(self.objects)
        result = np.zeros((count, count), bool)
        for k in range(count):
            for other in range(count):
                result[k, other] = k != other and self._rests(k, other)
        return result

    def _rests(self, upper: int, lower: int) -> bool:
        if self.objects[upper].kind == "platform":
            return False
        a, b = self.boxes[upper], self.boxes[lower]
        overlap = min(a.right, b.right) - max(a.left, b.left)
        sloping = self.objects[lower].kind == "platform" and b.bottom < a.bottom < b.top  # on a ramp
        return overlap > MIN_OVERLAP and (abs(a.bottom - b.top) <= TOUCHING or sloping)

    def supports(self, k: int) -> list[int]:
        """The objects that an object rests on."""
        return [int(other) for other in np.flatnonzero(self.rests_on[k])]

    def carried(self, k: int) -> set[int]:
        """All objects that rest on an object, directly or not."""
        found: set[int] = set()
        waiting = [k]
        while waiting:
            above = {int(other) for other in np.flatnonzero(self.rests_on[:, waiting.pop()])} - found
            found |= above
            waiting += above
        return found

    def touching(self, k: int, other: int) -> bool:
        """Whether the bounding boxes of two objects touch."""
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
        """The bounding box of a group of objects."""
        boxes = [self.boxes[k] for k in group]
        return Box(
            min(box.left for box in boxes),
            min(box.bottom for box in boxes),
            max(box.right for box in boxes),
            max(box.top for box in boxes),
        )

    def distance(self, k: int, other: int) -> float:
        """The distance between the centres of two objects."""
        a, b = self.objects[k], self.objects[other]
        return float(np.hypot(a.x - b.x, a.y - b.y))
