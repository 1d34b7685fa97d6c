"""Questions and options with random slot values: every wording of every template, about no scene in particular."""

from collections.abc import Iterator, Mapping
from typing import Any

from tumble.comphy.questions.choice_templates import CHOICES
from tumble.comphy.questions.descriptions import MOTIONS, WORDS, Description
from tumble.comphy.questions.parser import QUESTION_FAMILIES
from tumble.comphy.questions.phrases import (
    SLOT,
    BodySlot,
    ClauseSlot,
    DroppedSlotError,
    FilledPhrase,
    Phrase,
    Slot,
    WordSlot,
)
from tumble.comphy.tasks.question import Program
from tumble.comphy.tasks.world import PLAIN, ObjectWorld
from tumble.draws import Draws

PHRASES = (*(phrase for _, phrase in QUESTION_FAMILIES.values()), *CHOICES.values())
"""The phrases of all questions and options."""
WORD_SHARE = 0.5
"""Probability that a description names an attribute."""
MOTION_SHARE = 0.2
"""Probability that a description names the motion, where it may."""


def random_texts(count: int, seed: str, world: ObjectWorld = PLAIN) -> Iterator[tuple[str, Program]]:
    """Texts and their programs, each of a random phrase in a random wording with random slot values of a world."""
    draws = Draws(seed)
    for _ in range(count):
        yield random_text(draws.one_of(PHRASES), draws, world)


def random_text(phrase: Phrase, draws: Draws, world: ObjectWorld = PLAIN) -> tuple[str, Program]:
    """A text of a phrase and its program."""
    values = random_values(phrase, draws, world)
    return phrase.text(values, draws), phrase.program_of(values)


def random_values(phrase: Phrase, draws: Draws, world: ObjectWorld = PLAIN) -> Mapping[str, Any]:
    """Values for the slots of one of its wordings; where one needs another that is empty, they are drawn again."""
    while True:
        names = SLOT.findall(draws.one_of(phrase.wordings))
        values = {name: _value(phrase.slots[name], draws, world) for name in names}
        try:
            phrase.program_of(values)
        except DroppedSlotError:
            continue
        return values


def _value(slot: Slot, draws: Draws, world: ObjectWorld) -> Any:
    if slot.optional and draws.one_of((True, False)):
        return None
    if isinstance(slot, WordSlot):
        return draws.one_of(tuple(slot.wordings))
    if isinstance(slot, BodySlot):
        return _description(slot, draws, world)
    assert isinstance(slot, ClauseSlot)
    phrase = draws.one_of(slot.phrases)
    return FilledPhrase(phrase, random_values(phrase, draws, world))


def _description(slot: BodySlot, draws: Draws, world: ObjectWorld) -> Description:
    words = {"motion": MOTIONS, "color": world.colors, "material": world.materials, "shape": world.shapes}
    shares = {name: MOTION_SHARE * slot.motion if name == "motion" else WORD_SHARE for name in WORDS}
    named = [name for name, share in shares.items() if draws.between(0.0, 1.0) < share]
    return Description(**{name: draws.one_of(words[name]) for name in named})
