"""The words that programs name, as indices: attributes, motion, properties, events, orders and changes."""

from tumble.comphy.questions.programs.program import CHANGE_PREFIX, ORDERS
from tumble.comphy.simulation.events import DIRECTIONS
from tumble.comphy.tasks.body import COLORS, MATERIALS, SHAPES
from tumble.comphy.tasks.video_set import CHANGES

ATTRIBUTES = ("color", "material", "shape")
WORDS_OF = {"color": COLORS, "material": MATERIALS, "shape": SHAPES}
WORDS: tuple[str, ...] = COLORS + MATERIALS + SHAPES
"""All words of visible attributes; concept scores are in this order."""
SPANS = tuple(
    (sum(len(WORDS_OF[earlier]) for earlier in ATTRIBUTES[:k]), len(WORDS_OF[name]))
    for k, name in enumerate(ATTRIBUTES)
)
"""First word and number of words of each attribute."""
MOTIONS = ("moving", "stationary")
PROPERTIES = ("light", "heavy", "charged", "uncharged", "opposite", "same")
NONE, SAME, OPPOSITE = range(3)
"""Relations of two bodies' charges, as `graph.property_network` orders them."""
PASSAGES = ("in", "out")
SIDES = ("before", "after")
HEAVIER, LIGHTER, UNCHARGED, OPPOSITELY = (CHANGES.index(change) for change in CHANGES)

LITERAL_INDEX: dict[str, int] = {
    **{word: k for words in WORDS_OF.values() for k, word in enumerate(words)},
    **{order: k for k, order in enumerate(ORDERS)},
    **{CHANGE_PREFIX + change: k for k, change in enumerate(CHANGES)},
    **{direction: k for k, direction in enumerate(DIRECTIONS)},
}
"""The index of each literal of a program within its type, and of each direction."""
