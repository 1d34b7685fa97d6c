"""What each operator does: a function of the world and of the values that it takes.

Bodies are their numbers, sets are tuples, frames and counts numbers, words themselves. What has no answer is ERROR.
"""

from collections.abc import Callable
from typing import Any

from tumble.comphy.questions.programs.facts import ERROR, Happening, World


class Pair(tuple[int, ...]):
    """Two bodies where one was meant."""


def _set(value: Any) -> tuple[int, ...]:
    return (value,) if isinstance(value, int) else tuple(value)


def _unique(world: World, items: Any) -> Any:
    """The only one; two bodies stay together for `query_both_…`, to everything else they are an error."""
    if isinstance(items, int):
        return items
    if len(items) == 1:
        return items[0]
    return Pair(items) if len(items) == 2 and isinstance(items[0], int) else ERROR


def _where(condition: Callable[[World, int], bool]) -> Callable[..., Any]:
    return lambda world, items: tuple(k for k in _set(items) if condition(world, k))


def _attribute(name: str) -> dict[str, Callable[..., Any]]:
    def both(world: World, items: Any) -> str:
        words = [getattr(world.story.bodies[k], name) for k in _set(items)]
        return " and ".join(words) if len(words) == 2 else ERROR

    return {
        f"filter_{name}": lambda world, items, word: tuple(
            k for k in _set(items) if getattr(world.story.bodies[k], name) == word
        ),
        f"query_{name}": lambda world, item: getattr(world.story.bodies[item], name),
        f"query_both_{name}": both,
    }


def _of_kind(kind: str) -> Callable[..., Any]:
    return lambda world, events, items: tuple(
        event for event in events if event.kind == kind and set(event.bodies) & set(_set(items))
    )


def _related(world: World, body: int, sign: int) -> bool:
    """Whether another body's charge times this one's has the sign."""
    own = world.story.bodies[body].charge
    return any(k != body and own * other.charge * sign > 0 for k, other in enumerate(world.story.bodies))


def _ordered(world: World, events: tuple[Happening, ...], order: str) -> Any:
    """The event in a place of the order; an error where there is none, or more than one at that time."""
    place = {"first": 0, "second": 1, "last": len(events) - 1}[order]
    if not events or place >= len(events):
        return ERROR
    frame = events[place].frame
    return events[place] if [event.frame for event in events].count(frame) == 1 and frame is not None else ERROR


def _compared(world: World, events: tuple[Happening, ...], event: Happening, sign: int) -> Any:
    if event.frame is None or any(own.frame is None for own in events):
        return ERROR
    return tuple(own for own in events if own.frame is not None and (own.frame - event.frame) * sign > 0)


def _ancestors(world: World, events: tuple[Happening, ...], event: Happening) -> Any:
    """Earlier events of its bodies, of the bodies that these met, and so on."""
    before = _compared(world, events, event, -1)
    if before == ERROR:
        return ERROR
    linked, found = set(event.bodies), []
    for own in reversed(before):
        if linked & set(own.bodies):
            linked |= set(own.bodies)
            found.append(own)
    return tuple(reversed(found))


def _belongs(world: World, item: Any, events: tuple[Happening, ...]) -> bool:
    if isinstance(item, Happening):
        return item.what in {event.what for event in events}
    return any(item in event.bodies for event in events)


def _partner(world: World, event: Happening, body: int) -> Any:
    if event.kind != "collision" or body not in event.bodies:
        return ERROR
    return event.bodies[1] if event.bodies[0] == body else event.bodies[0]


def _happen_if(world: World, events: tuple[Happening, ...], body: int, change: str) -> Any:
    altered = world.altered(body, change)
    if isinstance(altered, str):
        return ERROR
    what = {event.what for event in altered}
    return tuple(event for event in events if event.what in what)


def _mass_compared(sign: int) -> Callable[..., Any]:
    return lambda world, one, other: (one[0] - other[0]) * sign > 0 if len(one) == len(other) == 1 else ERROR


def _stays(world: World, items: Any, frame: Any) -> tuple[int, ...]:
    return tuple(k for k in _set(items) if world.seen(frame)[k] and not world.moves(frame)[k])


MEANINGS: dict[str, Callable[..., Any]] = {
    "objects": lambda world: world.everyone,
    "events": lambda world: world.events,
    "unseen_events": lambda world: world.unseen,
    "all_events": lambda world: world.possible,
    "unique": _unique,
    "count": lambda world, items: len(_set(items)),
    "exist": lambda world, items: len(_set(items)) > 0,
    "negate": lambda world, value: not value,
    "not": lambda world, value: not value,
    "belong_to": _belongs,
    **_attribute("color"),
    **_attribute("material"),
    **_attribute("shape"),
    "filter_moving": lambda world, items, frame: tuple(k for k in _set(items) if world.moves(frame)[k]),
    "filter_stationary": _stays,
    "filter_resting": _stays,
    "filter_start": lambda world, events: next((own for own in events if own.kind == "start"), ERROR),
    "filter_end": lambda world, events: next((own for own in events if own.kind == "end"), ERROR),
    "filter_in": _of_kind("in"),
    "filter_out": _of_kind("out"),
    "filter_collision": _of_kind("collision"),
    "filter_order": _ordered,
    "filter_before": lambda world, events, event: _compared(world, events, event, -1),
    "filter_after": lambda world, events, event: _compared(world, events, event, +1),
    "filter_ancestor": _ancestors,
    "query_direction": lambda world, body, frame: world.direction(body, frame),
    "query_frame": lambda world, event: ERROR if event.frame is None else event.frame,
    "query_object": lambda world, event: event.bodies[0] if event.kind in ("in", "out") else ERROR,
    "query_collision_partner": _partner,
    "filter_light": _where(lambda world, k: not world.story.bodies[k].is_heavy),
    "filter_heavy": _where(lambda world, k: world.story.bodies[k].is_heavy),
    "filter_charged": _where(lambda world, k: world.story.bodies[k].is_charged),
    "filter_uncharged": _where(lambda world, k: not world.story.bodies[k].is_charged),
    "filter_opposite": _where(lambda world, k: _related(world, k, -1)),
    "filter_same": _where(lambda world, k: _related(world, k, +1)),
    "filter_mass": lambda world, items: tuple(world.story.bodies[k].mass for k in _set(items)),
    "is_heavier": _mass_compared(+1),
    "is_lighter": _mass_compared(-1),
    "equal_charge": lambda world, one, other: world.story.bodies[one].charge * world.story.bodies[other].charge > 0,
    "counterfact_events": lambda world, body, change: world.altered(body, change),
    "filter_counterfact": _happen_if,
}
"""What each operator does."""
