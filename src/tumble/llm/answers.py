"""Reading what a model wrote: the JSON object in it, wherever it stands, or why there is none."""

import json
from typing import Any

from tumble.llm.puzzle import AnswerError

MOST_CHARACTERS = 20_000
"""Of a longer text only the end is read: models think first and answer last."""


def read_object(text: str) -> dict[str, Any]:
    """The last JSON object of a text that is not part of another one; fences, words before and after are ignored.

    >>> read_object('I think\\n```json\\n{"x": 0.5, "y": 1}\\n```')
    {'x': 0.5, 'y': 1}
    """
    if not text.strip():
        raise AnswerError("the answer is empty; answer with one JSON object")
    text = text[-MOST_CHARACTERS:]
    found, position, decoder = None, text.find("{"), json.JSONDecoder(parse_constant=_no_constant)
    while position >= 0:
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            position += 1
        else:
            found = value
        position = text.find("{", position)
    if not isinstance(found, dict):
        raise AnswerError("the answer has no JSON object; answer with one JSON object and nothing else")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
