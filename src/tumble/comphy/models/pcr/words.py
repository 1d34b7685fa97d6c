"""The words that programs name, as indices: attributes, motion, properties, events, orders and changes."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

from tumble.comphy.catalogue.video_set import CHANGES
from tumble.comphy.catalogue.world import PLAIN, WORLDS, ObjectWorld, WorldError
from tumble.comphy.questions.program import CHANGE_PREFIX, ORDERS
from tumble.comphy.simulation.events import DIRECTIONS

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


_BY_WIDTH = {len(words_of(world).all): world for world in WORLDS.values()}
assert len(_BY_WIDTH) == len(WORLDS), "two worlds with as many words can't be told apart"


def words_of_width(width: int) -> Words:
    """The words that scores of this number of words belong to.

    >>> words_of_width(13).world.name, words_of_width(26).world.name
    ('plain', 'div')
    """
    if width not in _BY_WIDTH:
        raise WorldError(f"no world has {width} words")
    return words_of(_BY_WIDTH[width])
