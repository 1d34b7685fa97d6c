"""The texts of prompts, and the JSON that a question is answered with: its schema, and how it is read.

What is the same for all questions about a set comes before the question, so that providers can cache it. A factual
question is answered with {"answer": "red"}, one with options with {"correct": ["A", "C"]}. Reading is tolerant where
the meaning is clear: of upper and lower case, numbers as words, lists for pairs, and a verdict for each option.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

from tumble.comphy.agents.guessing import COUNTS, YES_NO, answer_space, answer_words
from tumble.comphy.catalogue.body import HEAVY, LIGHT
from tumble.comphy.catalogue.task import CORRECT, WRONG, Question
from tumble.comphy.catalogue.world import (
    CUBE_HALF_SIZE,
    DIV,
    FRAMES_PER_SECOND,
    PLAIN,
    RADIUS,
    REFERENCE_FRAMES,
    SHOWN_FRAMES,
    TARGET_FRAMES,
    ObjectWorld,
)
from tumble.comphy.dataset.json_files import abbreviate
from tumble.comphy.llm.settings import PuzzleSettings
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.questions.program import AND, Answer
from tumble.comphy.simulation.events import APART_FRAMES, MOVING_SPEED
from tumble.comphy.simulation.laws import RESTITUTION
from tumble.llm.puzzle import AnswerError

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ANSWER, CORRECT_OPTIONS = "answer", "correct"
_NUMBER_WORDS = {word: str(k) for k, word in enumerate(("zero", "one", "two", "three", "four", "five"))}
_SAME_WORDS = {
    "grey": "gray",
    "metallic": "metal",
    "wooden": "wood",
    "true": "yes",
    "false": "no",
    "none": "0",
    **_NUMBER_WORDS,
}
"""Words that mean an answer, where they are not answers themselves."""
_VERDICTS = {
    "correct": True,
    "true": True,
    "yes": True,
    "wrong": False,
    "false": False,
    "no": False,
    "incorrect": False,
}
_BETWEEN = re.compile(r"\s*(?:[,;&/+]|\band\b)\s*(?:and\b\s*)?")
"""What stands between the words of a pair, or between letters."""
_MOST_READ = 200
"""Characters of a word or list of letters; longer ones are no answers."""


def answer_form(question: Question, world: ObjectWorld = PLAIN) -> str:
    """What the answer to a question about a set of a world looks like, in words for a prompt."""
    if question.choices:
        letters = _letters(question)
        return (
            f"Each of the options {letters[0]} to {letters[-1]} is correct or wrong; none, some or all may be correct. "
            f'Answer with {{"{CORRECT_OPTIONS}": [...]}}, a list of the letters of all correct options, '
            f"which is empty if none is correct."
        )
    words, pick = answer_words(question, world)
    if words == COUNTS:
        return f'Answer with {{"{ANSWER}": N}}, where N is a whole number from {COUNTS[0]} to {COUNTS[-1]}.'
    listed = ", ".join(words)
    if pick == 1:
        return f'Answer with {{"{ANSWER}": "..."}}, with one of these words: {listed}.'
    return (
        f'Answer with {{"{ANSWER}": "...{AND}..."}}, with two of these words, in any order and perhaps the same '
        f"one twice: {listed}."
    )


def answer_schema(question: Question, world: ObjectWorld = PLAIN) -> dict[str, Any]:
    """The JSON schema of the answer to a question."""
    if question.choices:
        name, value = CORRECT_OPTIONS, _letters_schema(question)
    else:
        name, value = ANSWER, _word_schema(question, world)
    return {"type": "object", "properties": {name: value}, "required": [name], "additionalProperties": False}


def _letters_schema(question: Question) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string", "enum": list(_letters(question))}}


def _word_schema(question: Question, world: ObjectWorld) -> dict[str, Any]:
    space = answer_space(question, world)
    if space == COUNTS:
        return {"type": "integer", "enum": [int(count) for count in COUNTS]}
    return {"type": "string", "enum": list(space)}


def read_answer(question: Question, answer: Mapping[str, Any], world: ObjectWorld = PLAIN) -> Answer:
    """The answer that a JSON object means; an AnswerError if it means none."""
    fields = {name.strip().lower(): value for name, value in answer.items()}
    return _read_options(question, fields) if question.choices else _read_factual(question, fields, world)


def _read_factual(question: Question, fields: Mapping[str, Any], world: ObjectWorld) -> str:
    if ANSWER not in fields:
        raise _not_an_answer(question, f'there is no field "{ANSWER}"', world)
    value = fields[ANSWER]
    words, pick = answer_words(question, world)
    parts = value if isinstance(value, list) and len(value) <= pick else [value]
    given = [word for part in parts for word in _words(part, pick)]
    found = [word if word in words else _SAME_WORDS.get(word, "") for word in given]
    if len(found) != pick or any(word not in words for word in found):
        raise _not_an_answer(question, f"{abbreviate(value)} is not one of the possible answers", world)
    return AND.join(found)


def _words(value: Any, pick: int) -> list[str]:
    """A value as words in lower case; the words of a pair are split."""
    if isinstance(value, bool):
        return [YES_NO[0] if value else YES_NO[1]]
    if isinstance(value, int | float):
        return [str(int(value))] if abs(value) < 1000 and value == int(value) else [""]
    if not isinstance(value, str) or len(value) > _MOST_READ:
        return [""]
    text = " ".join(value.lower().split()).strip(" .\"'")
    return _BETWEEN.split(text) if pick > 1 else [text]


def _read_options(question: Question, fields: Mapping[str, Any]) -> dict[int, str]:
    letters = _letters(question)
    value = next((fields[name] for name in (CORRECT_OPTIONS, ANSWER) if name in fields), None)
    if not fields.keys() & {CORRECT_OPTIONS, ANSWER}:
        if not fields.keys() & set(letters.lower()):
            raise _not_an_answer(question, f'there is no field "{CORRECT_OPTIONS}"')
        value = dict(fields)
    verdicts = value if isinstance(value, Mapping) else None
    chosen = _chosen_letters(question, value) if verdicts is None else _chosen_by_verdicts(question, verdicts)
    return {
        choice.id: CORRECT if letter in chosen else WRONG
        for choice, letter in zip(question.choices, letters, strict=True)
    }


def _chosen_letters(question: Question, value: Any) -> set[str]:
    """The options of a list of letters, or of a text with letters; texts of options are understood too."""
    texts = {choice.text.strip(" .").lower(): letter for choice, letter in zip(question.choices, LETTERS, strict=False)}
    if isinstance(value, str) and len(value) <= _MOST_READ:
        text = value.strip(" .[]").lower()
        value = [] if text in ("", "none") else [text] if text in texts else _BETWEEN.split(text)
    if not isinstance(value, list):
        raise _not_an_answer(question, f"{abbreviate(value)} is not a list of letters")
    chosen = set()
    for item in value:
        name = item.strip(" .").lower() if isinstance(item, str) else ""
        letter = texts.get(name) or re.sub(r"^option\b|[\s().:\"']", "", name).upper()
        if not letter or letter not in tuple(_letters(question)):
            raise _not_an_answer(question, f"there is no option {abbreviate(item)}")
        chosen.add(letter)
    return chosen


def _chosen_by_verdicts(question: Question, verdicts: Mapping[str, Any]) -> set[str]:
    """The options of an object with a verdict for each letter."""
    by_letter = {str(name).strip().upper(): value for name, value in verdicts.items()}
    chosen = set()
    for letter in _letters(question):
        given = by_letter.get(letter)
        verdict = (
            given
            if isinstance(given, bool)
            else _VERDICTS.get(given.strip().lower())
            if isinstance(given, str)
            else None
        )
        if verdict is None:
            raise _not_an_answer(question, f"option {letter} is called neither correct nor wrong")
        if verdict:
            chosen.add(letter)
    return chosen


def _not_an_answer(question: Question, problem: str, world: ObjectWorld = PLAIN) -> AnswerError:
    """The error of an answer, with what would be right; it ends without a full stop."""
    return AnswerError(f"{problem}. {answer_form(question, world).removesuffix('.')}")


def _letters(question: Question) -> str:
    return LETTERS[: len(question.choices)]


PROMPT_VERSION = "comphy-1"
"""Changes whenever any byte of a prompt changes, in any mode."""

_SHOWN_SECONDS = SHOWN_FRAMES // FRAMES_PER_SECOND
_NEXT_SECONDS = (TARGET_FRAMES - SHOWN_FRAMES) // FRAMES_PER_SECOND
_BODIES = {
    PLAIN.name: f"""\
- Bodies are cubes (side {2 * CUBE_HALF_SIZE:g} units), spheres and cylinders (radius {RADIUS:g}), of rubber or metal. \
They slide upright on the table, spheres roll. Color and material have no effect on motion.
- Cubes and cylinders slow down until they rest, spheres slow down less. Bodies that collide part with about \
{RESTITUTION:g} of their closing speed.
""",
    DIV.name: f"""\
- Bodies are everyday objects: {", ".join(DIV.shapes)}. They are 0.2 to 0.6 units wide and high, of \
{", ".join(DIV.materials)}. They slide upright on the table. Color and material have no effect on motion.
- Bodies slow down until they rest. Bodies that collide part with about {RESTITUTION:g} of their closing speed.
""",
}
"""What is said about bodies and how they move, by the name of a world."""
_RULES = f"""\
You watch short videos of a few bodies on a table and answer a question about them. The target video lasts \
{_SHOWN_SECONDS} s; the reference videos, {REFERENCE_FRAMES // FRAMES_PER_SECOND} s each, show some of the same bodies \
from other starts.

The world
{{bodies}}- Two properties can't be seen, only inferred from motion, and are the same in all videos:
  mass: one body may be heavy (mass {HEAVY}), all others are light (mass {LIGHT}); the lighter one of two bodies that \
collide is deflected more;
  charge: two bodies may be charged, all others are uncharged; equal charges repel and opposite charges attract each \
other, with a force that falls with the square of the distance.

Words of the questions
- The video is the target video. A body is in view while its center is in the picture. It enters or exits the scene \
when it comes into view or leaves it, after the first frame.
- Two bodies collide when they touch in view, having been apart for {APART_FRAMES / FRAMES_PER_SECOND:g} s or more.
- A body moves at a time if it is in view and faster than {MOVING_SPEED:g} units/s, and is stationary if it is in \
view and slower. Without a time: a moving body moves at some time of the video, a stationary one at none.
- Left, right, up and down are directions in the picture; up is away from the camera.
- What happens next: in the {_NEXT_SECONDS} s after the end of the target video.
- If a body were heavier (mass {HEAVY}), lighter (mass {LIGHT}), uncharged or oppositely charged (the other sign): the \
{_SHOWN_SECONDS} s of the target video again from the same start, with this one change.
- An option is correct if it answers the question: if this asks what would not happen, the events that would not.

You may think before you answer. The last thing that you write must be one JSON object as the question asks for."""


def system_text(world: ObjectWorld = PLAIN) -> str:
    """The rules of a world, the words of the questions, and how to answer."""
    return _RULES.replace("{bodies}", _BODIES[world.name])


def tracks_text(settings: PuzzleSettings) -> str:
    """What tables of tracks mean."""
    distance, height = math.hypot(*CAMERA.position[:2]), CAMERA.position[2]
    return (
        f"Tracks of the bodies in view, every {settings.every / FRAMES_PER_SECOND:g} s: time in s; then x and y of "
        "each body's center on the table, in units: x to the right in the picture, y away from the camera, 0 0 in the "
        f"middle of the picture. The camera is above 0 -{distance:.2f}, at height {height:.2f}. A dash: not in view."
    )


def pictures_text() -> str:
    """What the pictures are."""
    return "Frames of the videos, evenly spaced from the first to the last, with the time below each."


def question_text(question: Question, world: ObjectWorld = PLAIN) -> str:
    """A question about a set of a world with its options, and what an answer looks like."""
    options = [f"{letter}: {choice.text}" for letter, choice in zip(LETTERS, question.choices, strict=False)]
    return "\n".join([f"Question: {question.text}", *options, answer_form(question, world)])
