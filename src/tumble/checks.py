"""Checks of the arguments of public functions, with one wording for all errors."""

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import TypeVar

from tumble.errors import TumbleError

T = TypeVar("T")


def whole_number(
    name: str,
    value: object,
    at_least: int | None = None,
    at_most: int | None = None,
    error: type[TumbleError] = TumbleError,
) -> int:
    """The value as an int; raises `error` unless it is a whole number within its bounds.

    >>> whole_number("count", 3, at_least=1)
    3
    >>> whole_number("count", 1.5, at_least=1)
    Traceback (most recent call last):
    tumble.errors.TumbleError: count must be a whole number, 1 or more, not 1.5
    """
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or _outside(int(value), at_least, at_most):  # type: ignore[call-overload]
        raise error(f"{name} must be a whole number{_bounds(at_least, at_most)}, not {shown(value)}")
    return int(value)  # type: ignore[call-overload, no-any-return]


def number(
    name: str,
    value: object,
    at_least: float | None = None,
    at_most: float | None = None,
    error: type[TumbleError] = TumbleError,
) -> float:
    """The value as a float; raises `error` unless it is a finite number within its bounds.

    >>> number("seconds", float("nan"), at_least=0)
    Traceback (most recent call last):
    tumble.errors.TumbleError: seconds must be a number, 0 or more, not nan
    """
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or _outside(value, at_least, at_most):  # type: ignore[arg-type]
        raise error(f"{name} must be a number{_bounds(at_least, at_most)}, not {shown(value)}")
    return float(value)  # type: ignore[arg-type]


def several(name: str, items: Iterable[T], example: str, error: type[TumbleError] = TumbleError) -> Iterable[T]:
    """The items; raises `error` for a single text or for what is no sequence at all.

    >>> several("task_ids", "00000:000", '["00000:000"]')
    Traceback (most recent call last):
    tumble.errors.TumbleError: task_ids must be a list, as in ["00000:000"], not '00000:000'
    """
    if isinstance(items, str | bytes) or not isinstance(items, Iterable):
        raise error(f"{name} must be a list, as in {example}, not {shown(items)}")
    return items


def is_a(kind: type, value: object) -> bool:
    """Whether a value is of a kind, whatever its annotation says: callers of public functions may not check types."""
    return isinstance(value, kind)


def shown(value: object) -> str:
    """A value for a message: on one line and not too long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


def _outside(value: float, at_least: float | None, at_most: float | None) -> bool:
    return (at_least is not None and value < at_least) or (at_most is not None and value > at_most)


def _bounds(at_least: float | None, at_most: float | None) -> str:
    if at_least is not None and at_most is not None:
        return f" from {at_least} to {at_most}"
    if at_least is not None:
        return f", {at_least} or more"
    return "" if at_most is None else f", at most {at_most}"
