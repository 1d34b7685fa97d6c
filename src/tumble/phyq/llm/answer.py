"""What a model answers: the next shot, perhaps with further ones that follow before it is asked again.

Stored solutions of tasks can be written as a model would write them: answers that win.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from tumble.llm.puzzle import AnswerError
from tumble.phyq.catalogue.physics import STRETCH_LIMIT
from tumble.phyq.generation.solutions import solution
from tumble.phyq.simulation.shots import LONGEST_WAIT, SHORTEST_PULL, Shot

EXAMPLE = '{"angle": 42.5, "power": 1, "tap": null}'
_MILLISECONDS = 1000.0


def answer_schema(birds: int) -> dict[str, Any]:
    """The JSON schema of an answer, for a level with a number of birds."""
    fields: dict[str, Any] = {
        "angle": {"type": "number", "minimum": -180, "maximum": 180},
        "power": {"type": "number", "minimum": SHORTEST_PULL, "maximum": STRETCH_LIMIT},
        "tap": {"type": ["number", "null"], "minimum": 0, "maximum": LONGEST_WAIT},
    }
    if birds > 1:
        delay = {"type": ["number", "null"], "minimum": 0, "maximum": LONGEST_WAIT}
        following = _object_schema({**fields, "delay": delay}, ["angle", "power"])
        fields["then"] = {"type": "array", "items": following, "maxItems": birds - 1}
    return _object_schema(fields, ["angle", "power"])


def _object_schema(fields: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": required, "additionalProperties": False}


def read_shots(answer: Mapping[str, Any], birds_left: int, first_of_attempt: bool) -> tuple[Shot, ...]:
    """The shots of an answer; raises an AnswerError that says what would be right.

    >>> read_shots({"angle": 30, "power": 0.9, "tap": 1.5}, 1, True)
    (Shot(angle=30.0, stretch=0.9, tap_ms=1500.0, tap_share=None, delay=None),)
    """
    shots = [_shot(answer, "")]
    if shots[0].delay == 0.0 or (shots[0].delay is not None and not first_of_attempt):
        if shots[0].delay:
            raise AnswerError(
                "everything is at rest now, so that this shot can't have a delay; to shoot while things move, give "
                'both shots in one answer, the second in "then" with its "delay"'
            )
        shots[0] = Shot(shots[0].angle, shots[0].stretch, tap_ms=shots[0].tap_ms)
    following = answer.get("then")
    if following is not None:
        if not isinstance(following, Sequence) or isinstance(following, str):
            raise AnswerError('"then" must be a list of further shots, or left out')
        if len(following) + 1 > birds_left:
            raise AnswerError(f"{len(following) + 1} shots, but {_birds_are(birds_left)} left")
        for number, one in enumerate(following, 1):
            if not isinstance(one, Mapping):
                raise AnswerError(f'shot {number} of "then" must be an object, as in {EXAMPLE}')
            shots.append(_shot(one, f' of shot {number} of "then"'))
    return tuple(shots)


def _birds_are(count: int) -> str:
    return "1 bird is" if count == 1 else f"{count} birds are"


def _shot(answer: Mapping[str, Any], where: str) -> Shot:
    if answer.get("angle") is None:
        raise AnswerError(f'there is no "angle"{where}; answer as in {EXAMPLE}')
    angle = _number(answer, "angle", where, -180.0, 180.0)
    power = _number(answer, "power", where, SHORTEST_PULL, STRETCH_LIMIT, "1")
    tap = _number(answer, "tap", where, 0.0, LONGEST_WAIT, "null")
    delay = _number(answer, "delay", where, 0.0, LONGEST_WAIT, "null")
    assert angle is not None
    tap_ms = None if tap is None else round(_MILLISECONDS * tap, 3)
    return Shot(angle, 1.0 if power is None else power, tap_ms=tap_ms, delay=delay)


def _number(
    answer: Mapping[str, Any], name: str, where: str, low: float, high: float, default: str = ""
) -> float | None:
    """A number of an answer; None where it is left out or null."""
    value = answer.get(name)
    if value is None:
        return None
    right = f'"{name}"{where} must be a number from {low:g} to {high:g}' + (
        f", or {default}" if default == "null" else ""
    )
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise AnswerError(f"{right}, not {_short_value(value)}")
    if not low <= value <= high:  # false for NaN too
        raise AnswerError(f"{right}, not {_short_value(value)}")
    return float(value)


def _short_value(value: object) -> str:
    """A value in a few characters."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**12:
        return "a huge number"
    if isinstance(value, float) and not math.isfinite(value):
        return "an infinite number"
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    text = {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def solution_answers(task_id: str) -> list[str]:
    """The answers, one after the other, that win a task of the benchmark at the first attempt.

    >>> solution_answers("2.1:000")[0].startswith('{"angle":')
    True
    >>> len(solution_answers("14.1:000"))
    1
    """
    answers: list[dict[str, Any]] = []
    for shot in solution(task_id).shots:
        if shot.delay is not None and answers:
            answers[-1].setdefault("then", []).append({**answer_of(shot), "delay": shot.delay})
        else:
            answers.append(answer_of(shot))
    return [json.dumps(answer) for answer in answers]


def answer_of(shot: Shot) -> dict[str, Any]:
    """A shot as an answer, without its delay."""
    tap = None if shot.tap_ms is None else shot.tap_ms / 1000.0
    return {"angle": shot.angle, "power": shot.stretch, "tap": tap}
