"""How many frames lie between the events that an operator puts in order."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from tumble.comphy.questions.programs.context import ProgramEvent
from tumble.comphy.tasks.question import ERROR

ORDERED_BY_TIME = ("filter_before", "filter_after", "filter_ancestor")
VIDEO_ENDS = ("start", "end")
"""Events that are known to the frame, so that nothing is close to them."""


def order_gaps(token: str, arguments: Sequence[Any]) -> list[int]:
    """Frames between the pairs of events whose order decides the result of an operator; empty for other operators."""
    if any(isinstance(value, str) and value == ERROR for value in arguments):
        return []
    if token == "filter_order":
        return _gaps_to_neighbours(*arguments)
    return _gaps_to_event(*arguments) if token in ORDERED_BY_TIME else []


def _gaps_to_neighbours(events: tuple[ProgramEvent, ...], order: str) -> list[int]:
    """Frames from the first, second or last event to the one before and the one after it."""
    frames = [event.frame for event in events if event.frame is not None]
    position = {"first": 0, "second": 1, "last": len(frames) - 1}[order]
    gaps = [after - before for before, after in pairwise(frames)]
    return gaps[max(position - 1, 0) : position + 1]


def _gaps_to_event(events: tuple[ProgramEvent, ...], event: ProgramEvent) -> list[int]:
    """Frames from an event to each of the others."""
    others = [other for other in events if other != event and other.kind not in VIDEO_ENDS]
    if event.kind in VIDEO_ENDS or event.frame is None:
        return []
    return [abs(other.frame - event.frame) for other in others if other.frame is not None]
