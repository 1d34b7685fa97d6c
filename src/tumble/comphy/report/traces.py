"""Compares the steps of a model's program with those on the true scene: where it went wrong."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tumble.comphy.questions.programs.interpreter import Step

LONGEST = 70
"""Characters of a value that is shown whole."""
FRAME_TOLERANCE = 5
"""Frames by which an event or a time may differ without being called different."""
_FRAME = re.compile(r"(?:at )?frame (\d+)")


@dataclass(frozen=True)
class ComparedStep:
    """A step of a program with its value for a model and in truth; None where one of the programs has no such step."""

    model: Step | None
    truth: Step | None

    @property
    def token(self) -> str:
        """The token of the true program, or of the model's where that is longer."""
        step = self.truth or self.model
        return "" if step is None else step.token

    @property
    def is_literal(self) -> bool:
        """Whether it only puts a word on the stack, the same in both."""
        return not self.differs and self.truth is not None and self.truth.value == self.truth.token

    @property
    def texts(self) -> tuple[str, str]:
        """The two values, shortened; of long lists those members that the other one lacks."""
        model, truth = ("" if step is None else step.value for step in (self.model, self.truth))
        return shortened(model, truth), shortened(truth, model)

    @property
    def differs(self) -> bool:
        """Whether the tokens differ, or the values in more than a few frames."""
        if self.model is None or self.truth is None:
            return True
        return self.model.token != self.truth.token or not same_value(self.model.value, self.truth.value)


def compare(model: Sequence[Step], truth: Sequence[Step]) -> list[ComparedStep]:
    """The steps of both programs, in pairs."""
    length = max(len(model), len(truth))
    pairs = zip(_padded(model, length), _padded(truth, length), strict=True)
    return [ComparedStep(one, other) for one, other in pairs]


def first_difference(steps: Sequence[ComparedStep]) -> int | None:
    """The first step that differs."""
    return next((number for number, step in enumerate(steps) if step.differs), None)


def same_value(one: str, other: str) -> bool:
    """Whether two values are the same in any order of bodies and events, with frames that differ by a few at most.

    >>> same_value("collision of red cube and blue cube at frame 40", "collision of blue cube and red cube at frame 43")
    True
    >>> same_value("red cube, blue cube", "red cube")
    False
    """
    mine, others = sorted(map(_item, one.split(", "))), sorted(map(_item, other.split(", ")))
    if [name for name, _ in mine] != [name for name, _ in others]:
        return False
    return all(abs(first - second) <= FRAME_TOLERANCE for (_, first), (_, second) in zip(mine, others, strict=True))


def shortened(value: str, other: str) -> str:
    """A value; of a long list only how many there are, with those that another one lacks.

    >>> shortened("in of red metal cube at frame 20, " * 4 + "out of gray cube at frame 9", "")[:10]
    '5 values, '
    """
    items = value.split(", ")
    if len(value) <= LONGEST or len(items) == 1:
        return value
    lacking = [item for item in items if not any(same_value(item, one) for one in other.split(", "))]
    return f"{len(items)} values" + (f", among them {'; '.join(lacking[:2])}" if lacking else "")


def _item(text: str) -> tuple[str, int]:
    """A body or event without its frame, the bodies in one order, and the frame; 0 without one."""
    found = _FRAME.search(text)
    kind, _, bodies = _FRAME.sub("", text).strip().partition(" of ")
    name = " and ".join(sorted(bodies.split(" and "))) if bodies else " and ".join(sorted(kind.split(" and ")))
    return (f"{kind} of {name}" if bodies else name), int(found[1]) if found else 0


def _padded(steps: Sequence[Step], length: int) -> list[Step | None]:
    return [*steps, *([None] * (length - len(steps)))]
