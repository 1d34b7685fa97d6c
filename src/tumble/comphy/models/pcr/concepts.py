"""The scores of all concepts in a batch of scenes, which programs run on: of words and of event slots.

A score is above 0 where a concept holds, and its size says how sure that is; scores are between -LIMIT and LIMIT.
Event slots are places for the events of a video, the same for every set: each body has some for coming into view and
for leaving it, each pair has some for collisions, and two are the start and the end of the video. What differs
between sets is each slot's frame and its score.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache

import torch
from torch import Tensor

from tumble.comphy.catalogue.video_set import CHANGES
from tumble.comphy.catalogue.world import PLAIN, WORLDS, ObjectWorld, WorldError
from tumble.comphy.questions.program import CHANGE_PREFIX, ORDERS
from tumble.comphy.simulation.events import DIRECTIONS, pairs_of

LIMIT = 10.0

Altered = Callable[[Tensor, Tensor], Tensor]
"""Collisions after a change: weights of the changed body [scene, body] and changes [scene] to scores [scene, pair]."""


@dataclass(frozen=True, eq=False)
class ConceptScores:
    """Scores of scenes; every tensor begins with [scene]."""

    present: Tensor
    """bool [body]: whether the set has this body."""
    words: Tensor
    """[body, word]: of all words of the world."""
    moving: Tensor
    """[body, 2]: moving and stationary, over the whole video."""
    moving_at: Tensor
    """[body, slot, 2]: the same in the frame of each event slot."""
    direction: Tensor
    """[body, 4]: over the whole video."""
    direction_at: Tensor
    """[body, slot, 4]."""
    events: Tensor
    """[slot]: whether the event of a slot happens."""
    frames: Tensor
    """int64 [slot]: its frame."""
    heavy: Tensor
    """[body]."""
    relations: Tensor
    """[body, body, 3]: log probabilities of NONE, SAME and OPPOSITE charges."""
    future: Tensor
    """[pair]: whether it collides after the shown frames."""

    def rows(self, numbers: Tensor) -> "ConceptScores":
        """Some of the scenes."""
        return replace(self, **{field.name: getattr(self, field.name)[numbers] for field in fields(self)})


def logit_of(log_probability: Tensor) -> Tensor:
    """The score of an event of this log probability: log p - log(1 - p), limited."""
    value = log_probability.clamp(max=-1e-6)
    return (value - torch.log(-torch.expm1(value))).clamp(-LIMIT, LIMIT)


ATTRIBUTES = ("color", "material", "shape")
NO_WORD = 99
"""The literal of an attribute without a word, in a description."""
MOTIONS = ("moving", "stationary")
PROPERTIES = ("light", "heavy", "charged", "uncharged", "opposite", "same")
NONE, SAME, OPPOSITE = range(3)
"""Relations of two bodies' charges, as `graph.property_network` orders them."""
PASSAGES = ("in", "out")
SIDES = ("before", "after")
HEAVIER, LIGHTER, UNCHARGED, OPPOSITELY = (CHANGES.index(change) for change in CHANGES)

_LITERAL_INDEX: dict[str, int] = {
    **{order: k for k, order in enumerate(ORDERS)},
    **{CHANGE_PREFIX + change: k for k, change in enumerate(CHANGES)},
    **{direction: k for k, direction in enumerate(DIRECTIONS)},
}


@dataclass(frozen=True)
class Words:
    """The words of a world."""

    world: ObjectWorld

    @property
    def by_attribute(self) -> tuple[tuple[str, ...], ...]:
        """The words of each of ATTRIBUTES."""
        return self.world.colors, self.world.materials, self.world.shapes

    @cached_property
    def all(self) -> tuple[str, ...]:
        """All words of visible attributes; concept scores are in this order."""
        return tuple(word for words in self.by_attribute for word in words)

    @cached_property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """First word and number of words of each attribute."""
        counts = [len(words) for words in self.by_attribute]
        return tuple((sum(counts[:k]), count) for k, count in enumerate(counts))

    @cached_property
    def owners(self) -> tuple[int, ...]:
        """The attribute of each word."""
        return tuple(k for k, (_, count) in enumerate(self.spans) for _ in range(count))

    @cached_property
    def literal_index(self) -> dict[str, int]:
        """The index of each literal of a program within its type, and of each direction."""
        return {word: k for words in self.by_attribute for k, word in enumerate(words)} | _LITERAL_INDEX


@lru_cache
def words_of(world: ObjectWorld = PLAIN) -> Words:
    """The words of a world."""
    return Words(world)


_WORDS_BY_WIDTH = {len(words_of(world).all): world for world in WORLDS.values()}
assert len(_WORDS_BY_WIDTH) == len(WORLDS), "two worlds with as many words can't be told apart"


def words_of_width(width: int) -> Words:
    """The words that scores of this number of words belong to.

    >>> words_of_width(13).world.name, words_of_width(26).world.name
    ('plain', 'div')
    """
    if width not in _WORDS_BY_WIDTH:
        raise WorldError(f"no world has {width} words")
    return words_of(_WORDS_BY_WIDTH[width])


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


@lru_cache(maxsize=256)
def device_constant(values: tuple[float, ...] | tuple[int, ...], device: torch.device) -> Tensor:
    """A vector on a device; not to be changed."""
    return torch.tensor(values, device=device)
