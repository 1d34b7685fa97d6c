"""The operators of programs: functions of the context and of the values that they take from the stack.

Bodies are their indices, sets are tuples, frames and counts are integers, words are strings. ERROR stands for what has
no answer.
"""

from collections.abc import Callable
from typing import Any

from tumble.comphy.questions.programs.context import ProgramContext, ProgramEvent
from tumble.comphy.tasks.question import ERROR

Function = Callable[..., Any]


class BodyPair(tuple[int, ...]):
    """Two bodies where one was expected."""


class Uncharged:
    """The answer "no" to both charge relations: a body without charge is neither alike nor opposite to another one.

    `not` leaves it as it is, so that `equal_charge not` says whether charges are opposite.
    """

    def __str__(self) -> str:
        return "no"


def _as_set(value: Any) -> tuple[int, ...]:
    return (value,) if isinstance(value, int) else tuple(value)


def _unique(context: ProgramContext, items: Any) -> Any:
    """The only element; a pair of bodies is kept for `query_both_…`, and is an error for all other operators."""
    if isinstance(items, int):
        return items
    if len(items) == 1:
        return items[0]
    return BodyPair(items) if len(items) == 2 and isinstance(items[0], int) else ERROR


def _filter(condition: Callable[[ProgramContext, int], bool]) -> Function:
    return lambda context, bodies: tuple(k for k in _as_set(bodies) if condition(context, k))


def _attribute_operators(name: str) -> dict[str, Function]:
    def query_both(context: ProgramContext, bodies: Any) -> str:
        words = [getattr(context.scene.bodies[k], name) for k in _as_set(bodies)]
        return " and ".join(words) if len(words) == 2 else ERROR

    return {
        f"filter_{name}": lambda context, bodies, word: tuple(
            k for k in _as_set(bodies) if getattr(context.scene.bodies[k], name) == word
        ),
        f"query_{name}": lambda context, body: getattr(context.scene.bodies[body], name),
        f"query_both_{name}": query_both,
    }


def _filter_events(kind: str) -> Function:
    """Events of a kind in which any of the bodies takes part."""
    return lambda context, events, bodies: tuple(
        event for event in events if event.kind == kind and set(event.bodies) & set(_as_set(bodies))
    )


def _has_partner(context: ProgramContext, body: int, sign: int) -> bool:
    """Whether the product of this body's charge and another one's has the sign."""
    charge = context.scene.bodies[body].charge
    return any(k != body and charge * other.charge * sign > 0 for k, other in enumerate(context.scene.bodies))


def _filter_order(context: ProgramContext, events: tuple[ProgramEvent, ...], order: str) -> Any:
    """The first, second or last event; an error where there is none, or where several share its frame."""
    position = {"first": 0, "second": 1, "last": len(events) - 1}[order]
    if not events or position >= len(events):
        return ERROR
    frame = events[position].frame
    return events[position] if [event.frame for event in events].count(frame) == 1 and frame is not None else ERROR


def _filter_time(context: ProgramContext, events: tuple[ProgramEvent, ...], event: ProgramEvent, sign: int) -> Any:
    """The events before (sign -1) or after (sign +1) an event."""
    if event.frame is None or any(other.frame is None for other in events):
        return ERROR
    return tuple(other for other in events if other.frame is not None and (other.frame - event.frame) * sign > 0)


def _filter_ancestor(context: ProgramContext, events: tuple[ProgramEvent, ...], event: ProgramEvent) -> Any:
    """Earlier events of the event's bodies, of the bodies in those events, and so on."""
    earlier = _filter_time(context, events, event, -1)
    if earlier == ERROR:
        return ERROR
    linked_bodies, ancestors = set(event.bodies), []
    for other in reversed(earlier):
        if linked_bodies & set(other.bodies):
            linked_bodies |= set(other.bodies)
            ancestors.append(other)
    return tuple(reversed(ancestors))


def _belong_to(context: ProgramContext, item: Any, events: tuple[ProgramEvent, ...]) -> bool:
    """Whether an event of the same kind and bodies is among the events, or a body takes part in one of them."""
    if isinstance(item, ProgramEvent):
        return item.key in {event.key for event in events}
    return any(item in event.bodies for event in events)


def _query_partner(context: ProgramContext, event: ProgramEvent, body: int) -> Any:
    if event.kind != "collision" or body not in event.bodies:
        return ERROR
    return event.bodies[1] if event.bodies[0] == body else event.bodies[0]


def _filter_counterfact(context: ProgramContext, events: tuple[ProgramEvent, ...], body: int, change: str) -> Any:
    """The events that would happen after a counterfactual change."""
    altered = context.altered_events(body, change)
    if isinstance(altered, str):
        return ERROR
    keys = {event.key for event in altered}
    return tuple(event for event in events if event.key in keys)


def _compare_masses(sign: int) -> Function:
    """Compares two masses, each of them alone or the only one of a set."""

    def compare(context: ProgramContext, one: Any, other: Any) -> Any:
        masses = [mass for masses in (one, other) for mass in (masses if isinstance(masses, tuple) else (masses,))]
        return (masses[0] - masses[1]) * sign > 0 if len(masses) == 2 else ERROR

    return compare


def _filter_stationary(context: ProgramContext, bodies: Any, frame: Any) -> tuple[int, ...]:
    return tuple(k for k in _as_set(bodies) if context.visible_in(frame)[k] and not context.moving_in(frame)[k])


def _first_of_kind(kind: str) -> Function:
    return lambda context, events: next((event for event in events if event.kind == kind), ERROR)


def _equal_charge(context: ProgramContext, one: int, other: int) -> bool | Uncharged:
    product = context.scene.bodies[one].charge * context.scene.bodies[other].charge
    return product > 0 if product else Uncharged()


def _not(context: ProgramContext, value: bool | Uncharged) -> bool | Uncharged:
    return value if isinstance(value, Uncharged) else not value


OPERATOR_FUNCTIONS: dict[str, Function] = {
    "objects": lambda context: context.all_bodies,
    "events": lambda context: context.events,
    "unseen_events": lambda context: context.future_events,
    "all_events": lambda context: context.possible_events,
    "unique": _unique,
    "count": lambda context, items: len(_as_set(items)),
    "exist": lambda context, items: len(_as_set(items)) > 0,
    "negate": _not,
    "not": _not,
    "belong_to": _belong_to,
    **_attribute_operators("color"),
    **_attribute_operators("material"),
    **_attribute_operators("shape"),
    "filter_moving": lambda context, bodies, frame: tuple(k for k in _as_set(bodies) if context.moving_in(frame)[k]),
    "filter_stationary": _filter_stationary,
    "filter_resting": _filter_stationary,
    "filter_start": _first_of_kind("start"),
    "filter_end": _first_of_kind("end"),
    "filter_in": _filter_events("in"),
    "filter_out": _filter_events("out"),
    "filter_collision": _filter_events("collision"),
    "filter_order": _filter_order,
    "filter_before": lambda context, events, event: _filter_time(context, events, event, -1),
    "filter_after": lambda context, events, event: _filter_time(context, events, event, +1),
    "filter_ancestor": _filter_ancestor,
    "query_direction": lambda context, body, frame: context.direction(body, frame),
    "query_frame": lambda context, event: ERROR if event.frame is None else event.frame,
    "query_object": lambda context, event: event.bodies[0] if event.kind in ("in", "out") else ERROR,
    "query_collision_partner": _query_partner,
    "filter_light": _filter(lambda context, k: not context.scene.bodies[k].is_heavy),
    "filter_heavy": _filter(lambda context, k: context.scene.bodies[k].is_heavy),
    "filter_charged": _filter(lambda context, k: context.scene.bodies[k].is_charged),
    "filter_uncharged": _filter(lambda context, k: not context.scene.bodies[k].is_charged),
    "filter_opposite": _filter(lambda context, k: _has_partner(context, k, -1)),
    "filter_same": _filter(lambda context, k: _has_partner(context, k, +1)),
    "filter_mass": lambda context, bodies: tuple(context.scene.bodies[k].mass for k in _as_set(bodies)),
    "is_heavier": _compare_masses(+1),
    "is_lighter": _compare_masses(-1),
    "equal_charge": _equal_charge,
    "counterfact_events": lambda context, body, change: context.altered_events(body, change),
    "filter_counterfact": _filter_counterfact,
}
"""By operator; their types are in `program.OPERATORS`."""
