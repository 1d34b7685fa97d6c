"""Phrases with slots: the wordings of a template and its program, for writing questions and for parsing them.

A wording has slots in braces ("Is the {a} heavier than the {b}?"); an empty slot is dropped. A program has the same
slots, with brackets around what is dropped with an empty slot ("objects {x} [{when} filter_{motion}] count").
Templates share slots: descriptions of bodies (words for visible attributes, and "object" where the shape is left
out), words, and clauses for times and events.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tumble.comphy.catalogue.body import COLORS, MATERIALS, SHAPES
from tumble.comphy.catalogue.task import Program
from tumble.comphy.catalogue.world import ALL_MATERIALS, ALL_SHAPES
from tumble.comphy.questions.program import NULL, ORDERS
from tumble.draws import Draws
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


Values = Mapping[str, Any]
"""Slot values: a token, a Description or a FilledPhrase; None or missing where a slot is empty."""
ARTICLES = ("the", "a", "an")
SYNONYMS = {
    "are": "is",
    "were": "was",
    "colour": "color",
    "colours": "color",
    "grey": "gray",
    "wooden": "wood",
    **{plural: noun for noun, plural in PLURALS.items()},
}
SLOT = re.compile(r"{(\w+)}")


class DroppedSlotError(TumbleError):
    """A filled slot that would be dropped because another one beside it is empty."""

    def __init__(self, filled: str, empty: str) -> None:
        super().__init__(f"slot {filled!r} needs a value in slot {empty!r}")
        self.filled, self.empty = filled, empty


class Slot(ABC):
    """A slot of a phrase."""

    optional: bool
    empty_tokens: Program | None
    """Tokens of the empty slot; None if the bracket around it is dropped."""

    @abstractmethod
    def text(self, value: Any, draws: Draws) -> str:
        """The wording of a value."""

    @abstractmethod
    def tokens(self, value: Any) -> Program:
        """The program of a value."""

    @property
    @abstractmethod
    def pattern(self) -> str:
        """A regular expression, without groups, for the normalised wordings of all values."""

    @abstractmethod
    def parse(self, words: str) -> Any:
        """The value of a normalised wording."""


@dataclass(frozen=True)
class WordSlot(Slot):
    """A token, each with its wordings."""

    wordings: Mapping[str, tuple[str, ...]]
    optional: bool = False
    empty_tokens: Program | None = None

    def text(self, value: Any, draws: Draws) -> str:
        return draws.one_of(self.wordings[value])

    def tokens(self, value: Any) -> Program:
        return (str(value),)

    @property
    def pattern(self) -> str:
        return _alternatives([normalise_text(text) for texts in self.wordings.values() for text in texts])

    def parse(self, words: str) -> Any:
        return next(token for token, texts in self.wordings.items() if words in map(normalise_text, texts))


def word_slot(*tokens: str, optional: bool = False) -> WordSlot:
    """A slot for tokens that are their own wording."""
    return WordSlot({token: (token,) for token in tokens}, optional)


@dataclass(frozen=True)
class BodySlot(Slot):
    """A description: of the one body that it matches or, if not unique, the filters of those that it matches."""

    unique: bool = True
    motion: bool = True
    """Whether it may name the motion over the whole video."""
    plural: bool = False
    optional: bool = False
    empty_tokens: Program | None = None

    def text(self, value: Any, draws: Draws) -> str:
        return str(value.text(self.plural))

    def tokens(self, value: Any) -> Program:
        return ("objects", *value.filters, "unique") if self.unique else tuple(value.filters)

    @property
    def pattern(self) -> str:
        adjectives = [word for name, words in ALL_WORDS.items() for word in words if name != "motion" or self.motion]
        return rf"(?:{_alternatives(adjectives)} )*(?:{_alternatives([*ALL_WORDS['shape'], NOUN])})"

    def parse(self, words: str) -> Description:
        return parse_description(words)


@dataclass(frozen=True)
class FilledPhrase:
    """A phrase with its slot values."""

    phrase: "Phrase"
    values: Values

    @property
    def program(self) -> Program:
        """Its program."""
        return self.phrase.program_of(self.values)


@dataclass(frozen=True)
class ClauseSlot(Slot):
    """One of some phrases."""

    phrases: tuple["Phrase", ...]
    optional: bool = False
    empty_tokens: Program | None = None

    def text(self, value: Any, draws: Draws) -> str:
        return str(value.phrase.text(value.values, draws))

    def tokens(self, value: Any) -> Program:
        return tuple(value.program)

    @property
    def pattern(self) -> str:
        patterns = [pattern for phrase in self.phrases for pattern in phrase.patterns]
        return _alternatives([re.sub(r"\?P<\w+>", "?:", pattern) for pattern in patterns])

    def parse(self, words: str) -> FilledPhrase:
        return next(parsed for phrase in self.phrases if (parsed := phrase.parse(words)))


@dataclass(frozen=True)
class Phrase:
    """Wordings that mean the same, and their program.

    >>> phrase = Phrase(("Is the {a} heavy?",), "{a} filter_heavy exist", {"a": BodySlot()})
    >>> phrase.text({"a": Description(color="red")}, Draws("seed"))
    'Is the red object heavy?'
    >>> phrase.program_of({"a": Description(color="red")})
    ('objects', 'red', 'filter_color', 'unique', 'filter_heavy', 'exist')
    """

    wordings: tuple[str, ...]
    program: str
    slots: Mapping[str, Slot] = field(default_factory=dict)

    def text(self, values: Values, draws: Draws) -> str:
        """The phrase in one of the wordings that have a slot for every value."""
        filled = {name for name, value in values.items() if value is not None and name in self._worded_slots}
        wording = draws.one_of([each for each in self.wordings if filled <= set(SLOT.findall(each))])
        text = SLOT.sub(lambda slot: self._slot_text(slot[1], values, draws), wording)
        return re.sub(r" (?=[?,.])", "", " ".join(text.split()))

    def program_of(self, values: Values) -> Program:
        """The program with the values filled in."""
        tokens: list[str] = []
        for part in re.findall(r"\[[^]]*\]|[^\s\[\]]+", self.program):
            names = SLOT.findall(part)
            empty = [name for name in names if values.get(name) is None and self.slots[name].empty_tokens is None]
            if empty and part.startswith("["):
                _check_nothing_dropped(names, empty, values)
                continue
            for token in part.strip("[]").split():
                tokens += self._tokens(token, values)
        return tuple(tokens)

    def parse(self, words: str) -> FilledPhrase | None:
        """The phrase and its values, if normalised words are one of its wordings."""
        for pattern in self._compiled:
            if match := pattern.fullmatch(words):
                values = {name: text and self.slots[name].parse(text) for name, text in match.groupdict().items()}
                return FilledPhrase(self, values)
        return None

    @cached_property
    def patterns(self) -> tuple[str, ...]:
        """A regular expression for each wording, on normalised words; no wording starts with an optional slot."""
        return tuple("".join(map(self._pattern, normalise_text(wording).split()))[1:] for wording in self.wordings)

    @cached_property
    def _compiled(self) -> tuple[re.Pattern[str], ...]:
        return tuple(map(re.compile, self.patterns))

    @cached_property
    def _worded_slots(self) -> frozenset[str]:
        return frozenset(name for wording in self.wordings for name in SLOT.findall(wording))

    def _pattern(self, word: str) -> str:
        match = SLOT.fullmatch(word)
        if not match:
            return " " + re.escape(word)
        slot = self.slots[match[1]]
        pattern = f" (?P<{match[1]}>{slot.pattern})"
        return f"(?:{pattern})?" if slot.optional else pattern

    def _slot_text(self, name: str, values: Values, draws: Draws) -> str:
        value = values.get(name)
        return "" if value is None else self.slots[name].text(value, draws)

    def _tokens(self, token: str, values: Values) -> Program:
        if match := SLOT.fullmatch(token):
            slot, value = self.slots[match[1]], values.get(match[1])
            return (slot.empty_tokens or ()) if value is None else slot.tokens(value)
        return (SLOT.sub(lambda match: str(values[match[1]]), token),)


def _check_nothing_dropped(names: list[str], empty: list[str], values: Values) -> None:
    for name in names:
        if values.get(name) is not None:
            raise DroppedSlotError(name, empty[0])


def normalise_text(text: str) -> str:
    """A text in lower case, in the singular, without articles and punctuation; slots stay as they are.

    >>> normalise_text("How many of the Cubes are heavy?")
    'how many of cube is heavy'
    """
    words = re.sub(r"[^\w{} ]", " ", text.lower().replace("'", "")).split()
    return " ".join(_normalise_word(word) for word in words if word not in ARTICLES)


def _normalise_word(word: str) -> str:
    word = SYNONYMS.get(word, word)
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _alternatives(texts: list[str]) -> str:
    """A regular expression for any of the texts, the longest first."""
    return "(?:" + "|".join(sorted(texts, key=lambda text: (-len(text), text))) + ")"


BODY = BodySlot()
ONE_BODY = BodySlot(unique=False)
"""One body too, but without the token "unique", which follows after `filter_mass`."""
KIND = BodySlot(unique=False, motion=False)
KINDS = BodySlot(unique=False, motion=False, plural=True)
ATTRIBUTE = word_slot("color", "material", "shape")
ATTRIBUTES = WordSlot({"color": ("colors",), "material": ("materials",), "shape": ("shapes",)})
MOTION = word_slot(*MOTIONS, optional=True)
MASS = word_slot("light", "heavy")
CHARGE = word_slot("charged", "uncharged")
ORDER = word_slot(*ORDERS)
ENTER = WordSlot({"in": ("enter",), "out": ("exit", "leave")})
ENTERS = WordSlot({"in": ("enters",), "out": ("exits", "leaves")})
NOT = word_slot("not", optional=True)
HEAVIER = word_slot("heavier", "lighter")
UNCHARGED = WordSlot({"uncharged": ("uncharged",), "opposite": ("oppositely charged",)})
RELATION = WordSlot(
    {"charged": ("charged",), "opposite": ("oppositely charged",), "same": ("charged with the same sign",)}
)

MOMENTS = {
    "start": Phrase(("the video begins", "the video starts"), "events filter_start"),
    "end": Phrase(("the video ends",), "events filter_end"),
    "in": Phrase(("the {a} enters the scene",), "events {a} filter_in unique", {"a": BODY}),
    "out": Phrase(("the {a} exits the scene", "the {a} leaves the scene"), "events {a} filter_out unique", {"a": BODY}),
    "collision": Phrase(
        ("the {a} collides with the {b}", "the {a} and the {b} collide"),
        "events {a} filter_collision {b} filter_collision unique",
        {"a": BODY, "b": BODY},
    ),
}
"""Clauses for events, by their kind."""
MOMENT = ClauseSlot(tuple(MOMENTS.values()))

WHENS = {
    "moment": Phrase(("when {moment}",), "{moment} query_frame", {"moment": MOMENT}),
    "start": Phrase(("when the video begins", "at the beginning of the video"), "events filter_start query_frame"),
    "end": Phrase(("when the video ends", "at the end of the video"), "events filter_end query_frame"),
}
WHEN = ClauseSlot(tuple(WHENS.values()), optional=True, empty_tokens=(NULL,))
"""A frame; where it is empty, the whole video."""

SIDES = {
    "before": Phrase(("before {moment}",), "{moment} filter_before", {"moment": MOMENT}),
    "after": Phrase(("after {moment}",), "{moment} filter_after", {"moment": MOMENT}),
}
SIDE = ClauseSlot(tuple(SIDES.values()), optional=True)
"""Restricts events to those before or after another one."""
