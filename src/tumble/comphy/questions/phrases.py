"""Phrases with slots: what a template says and what it means, for writing questions and for reading them.

A wording has slots in braces ("Is the {a} heavier than the {b}?"); an empty slot vanishes. A program has the same
slots, and brackets around what vanishes with an empty one ("objects {x} [{when} filter_{motion}] count").
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tumble.comphy.questions.descriptions import NOUN, WORDS, Description, read_description
from tumble.comphy.tasks.question import Program
from tumble.draws import Draws

Values = Mapping[str, Any]
"""What is in the slots: a token, a Description or a Said; None or nothing where a slot is empty."""
ARTICLES = ("the", "a", "an")
SAME_WORDS = {"are": "is", "were": "was", "colour": "color", "colours": "color", "grey": "gray"}
SLOT = re.compile(r"{(\w+)}")


class LostSlotError(ValueError):
    """A filled slot that would vanish because of an empty one beside it."""

    def __init__(self, filled: str, empty: str) -> None:
        super().__init__(f"slot {filled!r} means nothing while {empty!r} is empty")
        self.filled, self.empty = filled, empty


class Slot(ABC):
    """A place in a phrase."""

    optional: bool
    absent: Program | None
    """Tokens of the empty slot; None if what is about it vanishes."""

    @abstractmethod
    def text(self, value: Any, draws: Draws) -> str:
        """A value in words."""

    @abstractmethod
    def tokens(self, value: Any) -> Program:
        """A value's program."""

    @property
    @abstractmethod
    def pattern(self) -> str:
        """A regular expression, without groups, for plain words that say a value."""

    @abstractmethod
    def read(self, words: str) -> Any:
        """The value that plain words say."""


@dataclass(frozen=True)
class Words(Slot):
    """One of some tokens, each with its ways to be said."""

    said: Mapping[str, tuple[str, ...]]
    optional: bool = False
    absent: Program | None = None

    def text(self, value: Any, draws: Draws) -> str:
        return draws.one_of(self.said[value])

    def tokens(self, value: Any) -> Program:
        return (str(value),)

    @property
    def pattern(self) -> str:
        return _either([plain(text) for texts in self.said.values() for text in texts])

    def read(self, words: str) -> Any:
        return next(token for token, texts in self.said.items() if words in map(plain, texts))


def words(*tokens: str, optional: bool = False) -> Words:
    """Tokens that are said as they are."""
    return Words({token: (token,) for token in tokens}, optional)


@dataclass(frozen=True)
class Named(Slot):
    """The one body that a description fits, or, if it need not be unique, the filters of those that it fits."""

    unique: bool = True
    plural: bool = False
    optional: bool = False
    absent: Program | None = None

    def text(self, value: Any, draws: Draws) -> str:
        return str(value.text(self.plural))

    def tokens(self, value: Any) -> Program:
        return ("objects", *value.filters, "unique") if self.unique else tuple(value.filters)

    @property
    def pattern(self) -> str:
        adjectives = [word for name, own in WORDS.items() for word in own if name != "motion" or self.unique]
        return rf"(?:{_either(adjectives)} )*(?:{_either([*WORDS['shape'], NOUN])})"

    def read(self, words: str) -> Description:
        return read_description(words)


@dataclass(frozen=True)
class Said:
    """A phrase with its slots filled."""

    phrase: "Phrase"
    values: Values

    @property
    def program(self) -> Program:
        """What it means."""
        return self.phrase.program_of(self.values)


@dataclass(frozen=True)
class Clause(Slot):
    """One of some phrases."""

    phrases: tuple["Phrase", ...]
    optional: bool = False
    absent: Program | None = None

    def text(self, value: Any, draws: Draws) -> str:
        return str(value.phrase.text(value.values, draws))

    def tokens(self, value: Any) -> Program:
        return tuple(value.program)

    @property
    def pattern(self) -> str:
        return _either([re.sub(r"\?P<\w+>", "?:", own) for phrase in self.phrases for own in phrase.patterns])

    def read(self, words: str) -> Said:
        return next(said for phrase in self.phrases if (said := phrase.read(words)))


@dataclass(frozen=True)
class Phrase:
    """Wordings that mean the same, and the program of what they mean."""

    wordings: tuple[str, ...]
    program: str
    slots: Mapping[str, Slot] = field(default_factory=dict)

    def text(self, values: Values, draws: Draws) -> str:
        """The phrase in one of its wordings that has a place for every value."""
        filled = {name for name, value in values.items() if value is not None and name in self._worded}
        wording = draws.one_of([own for own in self.wordings if filled <= set(SLOT.findall(own))])
        said = SLOT.sub(lambda slot: self._slot_text(slot[1], values, draws), wording)
        return re.sub(r" (?=[?,.])", "", " ".join(said.split()))

    def program_of(self, values: Values) -> Program:
        """The program with the values in it."""
        found: list[str] = []
        for part in re.findall(r"\[[^]]*\]|[^\s\[\]]+", self.program):
            needed = SLOT.findall(part)
            empty = [name for name in needed if values.get(name) is None and self.slots[name].absent is None]
            if empty and part.startswith("["):
                self._check_lost(needed, empty, values)
                continue
            for token in part.strip("[]").split():
                found += self._tokens(token, values)
        return tuple(found)

    def read(self, words: str) -> Said | None:
        """The phrase as plain words say it, or None if they don't."""
        for pattern in self._compiled:
            if match := pattern.fullmatch(words):
                said = {name: own and self.slots[name].read(own) for name, own in match.groupdict().items()}
                return Said(self, said)
        return None

    @cached_property
    def patterns(self) -> tuple[str, ...]:
        """A regular expression for each wording, on plain words; no wording begins with what may be left out."""
        return tuple("".join(map(self._part, plain(wording).split()))[1:] for wording in self.wordings)

    @cached_property
    def _compiled(self) -> tuple[re.Pattern[str], ...]:
        return tuple(map(re.compile, self.patterns))

    @cached_property
    def _worded(self) -> frozenset[str]:
        return frozenset(name for wording in self.wordings for name in SLOT.findall(wording))

    def _check_lost(self, needed: list[str], empty: list[str], values: Values) -> None:
        for name in needed:
            if values.get(name) is not None:
                raise LostSlotError(name, empty[0])

    def _part(self, word: str) -> str:
        slot = SLOT.fullmatch(word)
        if not slot:
            return " " + re.escape(word)
        own = self.slots[slot[1]]
        said = f" (?P<{slot[1]}>{own.pattern})"
        return f"(?:{said})?" if own.optional else said

    def _slot_text(self, name: str, values: Values, draws: Draws) -> str:
        value = values.get(name)
        return "" if value is None else self.slots[name].text(value, draws)

    def _tokens(self, token: str, values: Values) -> Program:
        if slot := SLOT.fullmatch(token):
            value = values.get(slot[1])
            return (self.slots[slot[1]].absent or ()) if value is None else self.slots[slot[1]].tokens(value)
        return (SLOT.sub(lambda slot: str(values[slot[1]]), token),)


def plain(text: str) -> str:
    """A text's words in lower case and in the singular, without articles and punctuation; slots stay as they are."""
    words = re.sub(r"[^\w{} ]", " ", text.lower().replace("'", "")).split()
    return " ".join(_plain_word(word) for word in words if word not in ARTICLES)


def _plain_word(word: str) -> str:
    word = SAME_WORDS.get(word, word)
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _either(alternatives: list[str]) -> str:
    return "(?:" + "|".join(sorted(alternatives, key=lambda own: (-len(own), own))) + ")"
