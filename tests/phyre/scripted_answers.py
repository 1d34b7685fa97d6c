"""Scripted answers for tests."""

from collections.abc import Mapping, Sequence
from typing import Any

from phyre_script import answer_of

from tumble.llm.dialogue import Dialogue
from tumble.phyre.llm.puzzle_set import PhyrePuzzle

__all__ = ["answer_of", "counted", "led"]


def led(puzzle: PhyrePuzzle, answers: Sequence[str]) -> Dialogue:
    """A dialogue with these answers."""
    dialogue = Dialogue(puzzle)
    for answer in answers:
        dialogue.reply(answer)
    return dialogue


def counted(dialogue: Dialogue) -> list[Mapping[str, Any]]:
    """The records of the attempts that counted."""
    return [turn.record for turn in dialogue.turns if turn.counts]
