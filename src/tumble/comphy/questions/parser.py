"""Parses questions that users type: their wordings are those of the templates.

Random texts, to train parsers with, have every wording of every template, about no scene in particular.
"""

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from tumble.comphy.catalogue.task import Choice, Kind, Program, Question
from tumble.comphy.catalogue.world import PLAIN, ObjectWorld
from tumble.comphy.questions.phrases import (
    MOTIONS,
    SLOT,
    WORDS,
    BodySlot,
    ClauseSlot,
    Description,
    DroppedSlotError,
    FilledPhrase,
    Phrase,
    Slot,
    WordSlot,
    normalise_text,
)
from tumble.comphy.questions.templates import CHOICES, FACTUAL, QUESTIONS
from tumble.draws import Draws
from tumble.errors import TumbleError

MAX_SUGGESTIONS = 3
"""Wordings that an error suggests."""
QUESTION_FAMILIES: dict[str, tuple[Kind, Phrase]] = {
    **{template.family: (template.kind, template.phrase) for template in FACTUAL},
    **QUESTIONS,
}
"""Kind and phrase of every question family."""
SLOT_PLACEHOLDERS = {
    "a": "<object>",
    "b": "<object>",
    "x": "<kind of object>",
    "h": "<color, material or shape>",
    "physical": "[light, heavy, charged or uncharged]",
    "motion": "[moving or stationary]",
    "when": "[when …]",
    "side": "[before or after …]",
    "order": "<first, second or last>",
    "passage": "<enter or exit>",
    "relation": "<charged …>",
    "change": "<heavier, lighter, uncharged or oppositely charged>",
    "not": "[not]",
}


class ParseError(TumbleError):
    """A text that no template has as a wording."""


def parse_question(text: str, choices: Sequence[str] = ()) -> Question:
    """The question of a text, with the given options, without an answer.

    >>> parse_question("How many heavy spheres are there?").program
    ('objects', 'sphere', 'filter_shape', 'filter_heavy', 'count')
    """
    for family, (kind, phrase) in QUESTION_FAMILIES.items():
        parsed = _parse(phrase, text)
        if parsed:
            options = tuple(parse_choice(option, number) for number, option in enumerate(choices))
            return Question(0, kind, family, text, _program(parsed, text), choices=options)
    raise ParseError(_message(text, [phrase for _, phrase in QUESTION_FAMILIES.values()]))


def parse_choice(text: str, number: int = 0) -> Choice:
    """The option of a text, without an answer."""
    for phrase in CHOICES.values():
        parsed = _parse(phrase, text)
        if parsed:
            return Choice(number, text, _program(parsed, text), None)
    raise ParseError(_message(text, list(CHOICES.values())))


def _parse(phrase: Phrase, text: str) -> FilledPhrase | None:
    try:
        return phrase.parse(normalise_text(text))
    except TumbleError as error:
        raise ParseError(f"can't parse {text!r}: {error}") from None


def _program(parsed: FilledPhrase, text: str) -> Program:
    try:
        return parsed.program
    except DroppedSlotError as error:
        filled, empty = SLOT_PLACEHOLDERS[error.filled], SLOT_PLACEHOLDERS[error.empty]
        raise ParseError(f"can't parse {text!r}: {filled} only makes sense with {empty}") from None


def _message(text: str, phrases: list[Phrase]) -> str:
    """An error message with the most similar wordings."""
    words = normalise_text(text).split()
    wordings = {wording for phrase in phrases for wording in phrase.wordings}
    ranked = sorted(wordings, key=lambda wording: (-_similarity(words, wording), wording))
    suggestions = " / ".join(_with_placeholders(wording) for wording in ranked[:MAX_SUGGESTIONS])
    return f"can't parse {text!r}; similar wordings are: {suggestions}"


def _similarity(words: list[str], wording: str) -> float:
    return SequenceMatcher(None, words, normalise_text(wording).split()).ratio()


def _with_placeholders(wording: str) -> str:
    return SLOT.sub(lambda slot: SLOT_PLACEHOLDERS[slot[1]], wording)


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
