"""Scripted answers to PHYRE's puzzles."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tumble.llm.dialogue import Dialogue
from tumble.phyre.llm.puzzle_set import PhyrePuzzle
from tumble.phyre.simulation.actions import exact_balls


def answer_of(action: np.ndarray) -> str:
    """The answer that means an action, with words around it."""
    balls = [dict(zip(("x", "y", "radius"), ball, strict=True)) for ball in exact_balls(action[None])[0].tolist()]
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
