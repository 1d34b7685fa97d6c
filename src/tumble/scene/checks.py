"""Checks of the numbers, vectors and flags of a scene, and the errors that they raise.

Values are first converted (`as_...`: lists to tuples, NumPy numbers to Python's) and then checked
(`..._problems`, which yield error messages). Values that can't be converted are left as they are, for the
message to show.
"""

import json
from collections.abc import Iterable, Iterator
from numbers import Integral, Real
from typing import Any

import numpy as np

from tumble.errors import TumbleError

LARGEST_NUMBER = 1.0e9
"""Engines compute in float32, where the fourth power of a larger length (a moment of inertia) overflows."""

SMALLEST_SIZE = 1.0e-6
"""Sizes must be larger than this, or areas and masses vanish in float32."""

LARGEST_SET = 0xFFFF
"""Layers and masks are sets of 16 bits."""


class PictureError(TumbleError):
    """A picture or animation that can't be drawn, and why."""


class SceneError(TumbleError):
    """An invalid scene: `problem` says what is wrong and what would be right, `where` says where."""

    def __init__(self, problem: str, where: str = "") -> None:
        super().__init__(problem, where)
        self.problem, self.where = self.args

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}" if self.where else self.problem


def raise_first(problems: Iterable[str], where: str) -> None:
    """Raise a SceneError for the first problem, if there is one."""
    for problem in problems:
        raise SceneError(problem, where)


def body_label(name: object, index: int | None = None) -> str:
    """A body as messages name it: `body 3 ("ramp")`, `body 3`, `body "ramp"` or just `body`."""
    quoted = json.dumps(name, ensure_ascii=False) if isinstance(name, str) and name else ""
    if index is None:
        return f"body {quoted}".rstrip()
    return f"body {index} ({quoted})" if quoted else f"body {index}"


def shown(value: object) -> str:
    """A value for a message: on one line and not too long."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a user-defined repr, or an int of more digits than Python prints
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


def as_number(value: Any) -> Any:
    """A real number of any kind as a Python float (without negative zero); anything else unchanged."""
    if not isinstance(value, float):  # first because it is quick, and nearly every value is one
        if isinstance(value, bool) or not isinstance(value, Real):
            return value
        try:
            value = float(value)
        except OverflowError:
            return value
    return float(value) + 0.0


def as_tuple(value: Any) -> Any:
    """A list, array or other sequence as a tuple; anything else unchanged."""
    if isinstance(value, tuple | str | bytes | dict):
        return value
    try:
        return tuple(value)
    except TypeError:
        return value


def as_vector(value: Any) -> Any:
    """A sequence of numbers as a tuple of floats; anything else unchanged."""
    if is_pair(value):
        return value[0] + 0.0, value[1] + 0.0
    items = as_tuple(value)
    return tuple(as_number(item) for item in items) if isinstance(items, tuple) else items


def is_pair(value: Any) -> bool:
    """Whether a value is a tuple or list of two floats, as nearly every vector is."""
    return type(value) in (tuple, list) and len(value) == 2 and type(value[0]) is type(value[1]) is float


def as_whole(value: Any) -> Any:
    """A whole number of any kind as a Python int; anything else unchanged."""
    return value if isinstance(value, bool) or not isinstance(value, Integral) else int(value)


def as_flag(value: Any) -> Any:
    """A Python or NumPy truth value as a bool; anything else unchanged."""
    return bool(value) if isinstance(value, np.bool_) else value


def number_problems(
    field: str, value: object, above: float | None = None, at_least: float | None = None
) -> Iterator[str]:
    """A message unless the value is a finite float within its bounds."""
    if isinstance(value, float) and abs(value) <= LARGEST_NUMBER:
        if above is not None and value <= above:
            yield f"{field} must be greater than {above:g}, got {value!r}"
        elif at_least is not None and value < at_least:
            yield f"{field} must be at least {at_least:g}, got {value!r}"
    elif isinstance(value, bool) or not isinstance(value, Real):
        yield f"{field} must be a number, got {shown(value)}"
    else:
        yield f"{field} must be a finite number no larger than {LARGEST_NUMBER:g}, got {shown(value)}"


def vector_problems(field: str, value: Any) -> Iterator[str]:
    """Messages unless the value is a pair of finite floats."""
    if is_pair(value) and abs(value[0]) <= LARGEST_NUMBER >= abs(value[1]) and type(value) is tuple:
        return
    if not isinstance(value, tuple) or len(value) != 2:
        yield f"{field} must be a pair of numbers (x, y), got {shown(value)}"
        return
    for axis, number in zip("xy", value, strict=True):
        yield from number_problems(f"{axis} of {field}", number)


def set_problems(field: str, value: object) -> Iterator[str]:
    """A message unless the value is a set of 16 bits."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LARGEST_SET:
        yield f"{field} must be a whole number from 0 to {LARGEST_SET}, got {shown(value)}"


def flag_problems(field: str, value: object) -> Iterator[str]:
    """A message unless the value is True or False."""
    if not isinstance(value, bool):
        yield f"{field} must be True or False, got {shown(value)}"


def text_problems(field: str, value: object) -> Iterator[str]:
    """A message unless the value is a string."""
    if not isinstance(value, str):
        yield f"{field} must be a string, got {shown(value)}"
