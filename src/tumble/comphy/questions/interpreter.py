"""Runs programs on a symbolic scene, step by step.

What has no answer, such as the unique element of an empty set, is the value "error", as in the published files, and
so is everything computed from it.

Operators are functions of the context and of the values that they take from the stack. Bodies are their indices,
sets are tuples, frames and counts are integers, words are strings.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tumble.comphy.catalogue.task import CORRECT, ERROR, WRONG, Program, Question
from tumble.comphy.questions.program import LITERALS, Type, argument_count, result_types
from tumble.comphy.questions.symbolic_scene import AS_DEFINED, ProgramContext, ProgramEvent, SymbolicScene, Thresholds

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


@dataclass(frozen=True)
class Step:
    """A token of a program, and the value that it puts on the stack as text."""

    token: str
    value: str


class Interpreter:
    """Runs programs on one scene; what it computes about the motion is shared by all programs."""

    def __init__(self, scene: SymbolicScene, thresholds: Thresholds = AS_DEFINED) -> None:
        self.scene = scene
        self.context = ProgramContext(scene, thresholds)

    def execute(self, program: Program) -> str:
        """The answer of a program."""
        return _answer(self.values(program)[-1])

    def order_gap(self, program: Program) -> int | None:
        """The fewest frames between two events whose order the program depends on; None if it depends on no order.

        That is the order of the event that `filter_order` selects and those next to it, and of the event that
        `filter_before`, `filter_after` and `filter_ancestor` take and those that they select from.
        """
        gaps = [gap for token, arguments, _ in self._applied(program) for gap in order_gaps(token, arguments)]
        return min(gaps, default=None)

    def answers(self, question: Question) -> tuple[str, ...]:
        """The answer of a factual question, or "correct", "wrong" or "error" for each option."""
        if question.kind == "factual":
            return (self.execute(question.program),)
        verdicts = {"yes": CORRECT, "no": WRONG, ERROR: ERROR}
        return tuple(verdicts[self.execute(choice.program + question.program)] for choice in question.choices)

    def trace(self, program: Program) -> tuple[Step, ...]:
        """The steps of a program."""
        steps = zip(program, self.values(program), result_types(program), strict=True)
        return tuple(Step(token, self._text(value, kind)) for token, value, kind in steps)

    def subject(self, program: Program) -> tuple[Any, ...]:
        """The bodies or events that a program's last token takes; empty if it takes several values."""
        if argument_count(program[-1]) != 1:
            return ()
        value = self.values(program[:-1])[-1]
        return value if isinstance(value, tuple) else (value,)

    def values(self, program: Program) -> list[Any]:
        """The value that each token puts on the stack: bodies are indices, events `ProgramEvent`s, sets tuples."""
        return [value for _, _, value in self._applied(program)]

    def _applied(self, program: Program) -> list[tuple[str, list[Any], Any]]:
        """Each token, the values that it takes from the stack, and the value that it puts there."""
        result_types(program)  # raises where the program is not well formed
        stack: list[Any] = []
        applied: list[tuple[str, list[Any], Any]] = []
        for token in program:
            first = len(stack) - argument_count(token)
            arguments, stack = stack[first:], stack[:first]
            value = token if token in LITERALS else self._apply(token, arguments)
            stack.append(value)
            applied.append((token, arguments, value))
        return applied

    def _apply(self, token: str, arguments: list[Any]) -> Any:
        if any(isinstance(value, str) and value == ERROR for value in arguments):
            return ERROR
        if any(isinstance(value, BodyPair) for value in arguments) and not token.startswith("query_both_"):
            return ERROR
        return OPERATOR_FUNCTIONS[token](self.context, *arguments)

    def _text(self, value: Any, kind: Type) -> str:
        if isinstance(value, str):
            return value
        if kind in (Type.OBJECT, Type.OBJECTS):
            bodies = (value,) if isinstance(value, int) else value
            return ", ".join(str(self.scene.bodies[k]) for k in bodies) or "none"
        if kind in (Type.EVENT, Type.EVENTS):
            events = (value,) if isinstance(value, ProgramEvent) else value
            return ", ".join(map(self._event_text, events)) or "none"
        if kind == Type.FRAME:
            return f"frame {value}"
        if kind == Type.MASSES and isinstance(value, tuple):
            return ", ".join(map(str, value)) or "none"
        return _answer(value)

    def _event_text(self, event: ProgramEvent) -> str:
        bodies = " and ".join(str(self.scene.bodies[k]) for k in event.bodies)
        frame = "" if event.frame is None else f" at frame {event.frame}"
        return event.kind + (f" of {bodies}" if bodies else "") + frame


def execute(program: Program, scene: SymbolicScene) -> str:
    """The answer of a program on a scene."""
    return Interpreter(scene).execute(program)


def trace(program: Program, scene: SymbolicScene) -> tuple[Step, ...]:
    """The steps of a program on a scene."""
    return Interpreter(scene).trace(program)


def _answer(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
