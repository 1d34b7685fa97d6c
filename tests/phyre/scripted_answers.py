"""Scripted answers for tests."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tumble.llm.dialogue import Dialogue
from tumble.phyre.llm.puzzle import PhyrePuzzle
from tumble.phyre.simulation.actions import exact_balls

KEYS = ("x", "y", "radius")


def answer_of(action: np.ndarray) -> str:
    """The answer that means an action, with words around it."""
    balls = [dict(zip(KEYS, map(float, ball), strict=True)) for ball in exact_balls(action[None])[0]]
    return f"I think this works:\n```json\n{json.dumps(balls[0] if len(balls) == 1 else {'balls': balls})}\n```"


def led(puzzle: PhyrePuzzle, answers: Sequence[str]) -> Dialogue:
    """A dialogue with these answers."""
    dialogue = Dialogue(puzzle)
    for answer in answers:
        dialogue.reply(answer)
    return dialogue


def counted(dialogue: Dialogue) -> list[Mapping[str, Any]]:
    """The records of the attempts that counted."""
    return [turn.record for turn in dialogue.turns if turn.counts]
