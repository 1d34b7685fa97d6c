"""Descriptions of bodies: words for visible attributes, and "object" where the shape is left out."""

from dataclasses import dataclass

from tumble.comphy.questions.programs.program import NULL
from tumble.comphy.tasks.body import COLORS, MATERIALS, SHAPES
from tumble.comphy.tasks.question import Program
from tumble.comphy.tasks.world import ALL_MATERIALS, ALL_SHAPES
from tumble.errors import TumbleError

MOTIONS = ("moving", "stationary")
NOUN = "object"
WORDS = {"motion": MOTIONS, "color": COLORS, "material": MATERIALS, "shape": SHAPES}
"""The words of a description in the plain world by attribute, in the order of a sentence."""
ALL_WORDS = WORDS | {"material": ALL_MATERIALS, "shape": ALL_SHAPES}
"""The same for all worlds."""
PLURALS = {"trophy": "trophies", "hourglass": "hourglasses"}
"""Of nouns that don't just end in "s" then."""


class DescriptionError(TumbleError):
    """A text that is not a description."""


@dataclass(frozen=True)
class Description:
    """Words that match some bodies; None is left out.

    >>> Description(color="red", shape="cube").text()
    'red cube'
    >>> Description(material="metal").filters
    ('metal', 'filter_material')
    """

    color: str | None = None
    material: str | None = None
    shape: str | None = None
    motion: str | None = None
    """Over the whole video."""

    def text(self, plural: bool = False) -> str:
        """The words, without an article."""
        noun = self.shape or NOUN
        words = [self.motion, self.color, self.material, PLURALS.get(noun, f"{noun}s") if plural else noun]
        return " ".join(word for word in words if word)

    @property
    def filters(self) -> Program:
        """Tokens that filter a set of objects down to those that match."""
        tokens: list[str] = []
        for name in ("color", "material", "shape"):
            if word := getattr(self, name):
                tokens += [word, f"filter_{name}"]
        if self.motion:
            tokens += [NULL, f"filter_{self.motion}"]
        return tuple(tokens)


def parse_description(text: str) -> Description:
    """The description in a text of words from ALL_WORDS."""
    words: dict[str, str] = {}
    for word in text.split():
        if word != NOUN:
            name = next(name for name, known in ALL_WORDS.items() if word in known)
            if name in words:
                raise DescriptionError(f"two words for the {name} in {text!r}: {words[name]} and {word}")
            words[name] = word
    return Description(**words)
