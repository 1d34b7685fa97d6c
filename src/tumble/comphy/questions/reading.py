"""Reads questions that people ask in the templates' language: the wordings are the templates' own."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from tumble.comphy.questions.choice_templates import CHOICES, QUESTIONS
from tumble.comphy.questions.factual_templates import FACTUAL
from tumble.comphy.questions.phrases import SLOT, LostSlotError, Phrase, Said, plain
from tumble.comphy.tasks.question import Choice, Kind, Program, Question

NEAREST = 3
"""Wordings that are named where a text can't be read."""
FAMILIES: dict[str, tuple[Kind, Phrase]] = {
    **{template.family: (template.kind, template.phrase) for template in FACTUAL},
    **QUESTIONS,
}
"""Kind and phrase of every family of questions."""
SLOT_NAMES = {
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


class ReadingError(ValueError):
    """A text that is not in the templates' language."""


def read_question(text: str, choices: Sequence[str] = ()) -> Question:
    """The question that a text asks, with the options that go with it, and without an answer."""
    for family, (kind, phrase) in FAMILIES.items():
        said = _read(phrase, text)
        if said:
            options = tuple(read_choice(own, number) for number, own in enumerate(choices))
            return Question(0, kind, family, text, _program(said, text), choices=options)
    raise ReadingError(_complaint(text, [phrase for _, phrase in FAMILIES.values()]))


def read_choice(text: str, number: int = 0) -> Choice:
    """The option that a text says."""
    for phrase in CHOICES.values():
        said = _read(phrase, text)
        if said:
            return Choice(number, text, _program(said, text), None)
    raise ReadingError(_complaint(text, list(CHOICES.values())))


def _read(phrase: Phrase, text: str) -> Said | None:
    try:
        return phrase.read(plain(text))
    except ValueError as error:
        raise ReadingError(f"can't read {text!r}: {error}") from None


def _program(said: Said, text: str) -> Program:
    try:
        return said.program
    except LostSlotError as error:
        filled, empty = SLOT_NAMES[error.filled], SLOT_NAMES[error.empty]
        raise ReadingError(f"can't read {text!r}: {filled} only makes sense with {empty}") from None


def _complaint(text: str, phrases: list[Phrase]) -> str:
    words = plain(text).split()
    wordings = [wording for phrase in phrases for wording in phrase.wordings]
    nearest = sorted(set(wordings), key=lambda own: (-SequenceMatcher(None, words, plain(own).split()).ratio(), own))
    said = "".join(f"\n  {_shown(wording)}" for wording in nearest[:NEAREST])
    return f"can't read {text!r}; the nearest that can be asked:{said}"


def _shown(wording: str) -> str:
    return SLOT.sub(lambda slot: SLOT_NAMES[slot[1]], wording)
