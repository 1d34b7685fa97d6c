"""Parses questions that users type: their wordings are those of the templates."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from tumble.comphy.questions.choice_templates import CHOICES, QUESTIONS
from tumble.comphy.questions.factual_templates import FACTUAL
from tumble.comphy.questions.phrases import SLOT, DroppedSlotError, FilledPhrase, Phrase, normalise_text
from tumble.comphy.tasks.question import Choice, Kind, Program, Question
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
