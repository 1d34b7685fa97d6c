"""Event slots: the places for events of a video, the same for every set.

Each body has some slots for coming into view and for leaving it, each pair has some for collisions, and two slots are
the start and the end of the video. What differs between sets is each slot's frame and its score.
"""

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from tumble.comphy.simulation.events import pairs_of

IN, OUT, COLLISION, START, END = range(5)
"""Kinds of slots."""


@dataclass(frozen=True)
class SlotLayout:
    """Which slots there are, for up to a number of bodies."""

    bodies: int = 5
    passages: int = 2
    """Slots of a body for coming in, and as many for going out."""
    collisions: int = 4
    """Slots of a pair."""

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of bodies, first < second."""
        return pairs_of(self.bodies)

    @cached_property
    def kinds(self) -> list[int]:
        """The kind of each slot."""
        per_body = self.bodies * self.passages
        return [IN] * per_body + [OUT] * per_body + [COLLISION] * (len(self.pairs) * self.collisions) + [START, END]

    @cached_property
    def members(self) -> list[tuple[int, ...]]:
        """The bodies of each slot's event."""
        passing = [(body,) for body in range(self.bodies) for _ in range(self.passages)]
        colliding = [pair for pair in self.pairs for _ in range(self.collisions)]
        return [*passing, *passing, *colliding, (), ()]

    def __len__(self) -> int:
        return len(self.kinds)

    def slot_of(self, kind: int, members: tuple[int, ...], number: int) -> int:
        """The slot of a body's or pair's event of a kind, by the number of earlier ones."""
        return [k for k in range(len(self)) if self.kinds[k] == kind and self.members[k] == members][number]

    def tensors(self, device: torch.device) -> "SlotTensors":
        """The layout as tensors."""
        member = torch.zeros(len(self), self.bodies, dtype=torch.bool)
        for slot, bodies in enumerate(self.members):
            member[slot, list(bodies)] = True
        pair_member = torch.zeros(len(self.pairs), self.bodies, dtype=torch.bool)
        for pair, bodies in enumerate(self.pairs):
            pair_member[pair, list(bodies)] = True
        return SlotTensors(torch.tensor(self.kinds, device=device), member.to(device), pair_member.to(device))


@dataclass(frozen=True, eq=False)
class SlotTensors:
    """A layout on a device."""

    kinds: Tensor
    """int64 [slot]."""
    member: Tensor
    """bool [slot, body]."""
    pair_member: Tensor
    """bool [pair, body]."""
