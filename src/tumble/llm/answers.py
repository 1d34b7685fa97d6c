"""Reading what a model wrote: the JSON object anywhere in it, or why there is none."""

import json
import math
from typing import Any

from tumble.llm.puzzle import AnswerError

MOST_CHARACTERS = 20_000
"""Of a longer text only the end is read: models think first and answer last."""
MOST_NUMBER = 1e30
"""Numbers of an answer are smaller, also without their sign."""
MOST_WORK = 20 * MOST_CHARACTERS
"""Characters that are read without finding an object, after which only the last braces of a text are tried."""
WORK_OF_A_FAILURE = 1000
"""A brace that begins no object costs as much as reading this many characters, at least."""
LAST_BRACES = 50


def read_object(text: str) -> dict[str, Any]:
    """The last JSON object of a text that is not part of another one; fences, words before and after are ignored.

    >>> read_object('I think\\n```json\\n{"x": 0.5, "y": 1}\\n```')
    {'x': 0.5, 'y': 1}
    """
    if not text.strip():
        raise AnswerError("the answer is empty; answer with one JSON object")
    found = _last_object(text[-MOST_CHARACTERS:])
    if found is None:
        raise AnswerError("the answer has no JSON object; answer with one JSON object and nothing else")
    _check_numbers(found)
    return found


def _last_object(text: str) -> dict[str, Any] | None:
    found, position, work = None, text.find("{"), 0.0
    while position >= 0:
        try:
            found, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            end = position + 1
            work += getattr(error, "pos", len(text)) - position + WORK_OF_A_FAILURE
        if work > MOST_WORK:  # braces in braces, which would take the square of their number
            end, work = max(end, _start_of_last_braces(text)), -math.inf
        position = text.find("{", end)
    return found


def _start_of_last_braces(text: str) -> int:
    start = len(text)
    for _ in range(LAST_BRACES):
        start = text.rfind("{", 0, start)
    return start


def _check_numbers(value: Any) -> None:
    values = [value]
    while values:
        one = values.pop()
        if isinstance(one, dict | list):
            values += one.values() if isinstance(one, dict) else one
        elif isinstance(one, int | float) and not abs(one) < MOST_NUMBER:
            raise AnswerError(f"a number is {'too large' if one > 0 else 'too small'}; give ordinary numbers")


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)
