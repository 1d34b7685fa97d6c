"""Programs of questions: tokens in postfix order, as in the published files, and the types of their operators.

A token is an operator, which takes values from a stack and puts one back, or a literal, which is put there. `check`
says whether a program is well formed without running it; what the operators do is in `operators`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from functools import lru_cache

from tumble.comphy.tasks.body import COLORS, MATERIALS, SHAPES
from tumble.comphy.tasks.question import Program, Question
from tumble.comphy.tasks.video_set import CHANGES

ORDERS = ("first", "second", "last")
NULL = "null"
CHANGE_PREFIX = "counterfact_"


class Type(str, Enum):
    """What a value on the stack is."""

    OBJECT = "object"
    OBJECTS = "objects"
    EVENT = "event"
    EVENTS = "events"
    FRAME = "frame"
    YES_NO = "yes/no"
    NUMBER = "number"
    MASSES = "masses"
    COLOR = "color"
    MATERIAL = "material"
    SHAPE = "shape"
    DIRECTION = "direction"
    COLORS = "two colors"
    MATERIALS = "two materials"
    SHAPES = "two shapes"
    ORDER = "order"
    CHANGE = "change"
    NULL = "null"


@dataclass(frozen=True)
class Operator:
    """What an operator takes, with every type that will do for each argument, and what it gives."""

    takes: tuple[tuple[Type, ...], ...]
    gives: Type

    def accepts(self, types: Sequence[Type]) -> bool:
        """Whether it can work on values of these types."""
        return len(types) == len(self.takes) and all(
            own in allowed for own, allowed in zip(types, self.takes, strict=True)
        )

    @property
    def wants(self) -> str:
        """What it takes, in words."""
        return _listed([" or ".join(own.value for own in allowed) for allowed in self.takes])


class ProgramError(ValueError):
    """A program that is not well formed."""


ONE, SOME, EVENT, EVENTS = (Type.OBJECT,), (Type.OBJECT, Type.OBJECTS), (Type.EVENT,), (Type.EVENTS,)
"""An object will do where a set is wanted."""
TIME = (Type.FRAME, Type.NULL)


def _table() -> dict[str, tuple[Operator, ...]]:
    one = {
        "objects": Operator((), Type.OBJECTS),
        "events": Operator((), Type.EVENTS),
        "unseen_events": Operator((), Type.EVENTS),
        "all_events": Operator((), Type.EVENTS),
        "negate": Operator(((Type.YES_NO,),), Type.YES_NO),
        "not": Operator(((Type.YES_NO,),), Type.YES_NO),
        "belong_to": Operator(((Type.EVENT, Type.OBJECT), EVENTS), Type.YES_NO),
        "filter_start": Operator((EVENTS,), Type.EVENT),
        "filter_end": Operator((EVENTS,), Type.EVENT),
        "filter_order": Operator((EVENTS, (Type.ORDER,)), Type.EVENT),
        "filter_before": Operator((EVENTS, EVENT), Type.EVENTS),
        "filter_after": Operator((EVENTS, EVENT), Type.EVENTS),
        "filter_ancestor": Operator((EVENTS, EVENT), Type.EVENTS),
        "query_direction": Operator((ONE, TIME), Type.DIRECTION),
        "query_frame": Operator((EVENT,), Type.FRAME),
        "query_object": Operator((EVENT,), Type.OBJECT),
        "query_collision_partner": Operator((EVENT, ONE), Type.OBJECT),
        "filter_mass": Operator((SOME,), Type.MASSES),
        "is_heavier": Operator(((Type.MASSES,), (Type.MASSES,)), Type.YES_NO),
        "is_lighter": Operator(((Type.MASSES,), (Type.MASSES,)), Type.YES_NO),
        "equal_charge": Operator((ONE, ONE), Type.YES_NO),
        "counterfact_events": Operator((ONE, (Type.CHANGE,)), Type.EVENTS),
        "filter_counterfact": Operator((EVENTS, ONE, (Type.CHANGE,)), Type.EVENTS),
    }
    for word in ("light", "heavy", "charged", "uncharged", "opposite", "same"):
        one[f"filter_{word}"] = Operator((SOME,), Type.OBJECTS)
    for word in ("moving", "stationary", "resting"):
        one[f"filter_{word}"] = Operator((SOME, TIME), Type.OBJECTS)
    for word in ("in", "out", "collision"):
        one[f"filter_{word}"] = Operator((EVENTS, SOME), Type.EVENTS)
    for own, pair in ((Type.COLOR, Type.COLORS), (Type.MATERIAL, Type.MATERIALS), (Type.SHAPE, Type.SHAPES)):
        one[f"filter_{own.value}"] = Operator((SOME, (own,)), Type.OBJECTS)
        one[f"query_{own.value}"] = Operator((ONE,), own)
        one[f"query_both_{own.value}"] = Operator((SOME,), pair)
    return {name: (operator,) for name, operator in one.items()} | {
        "unique": (Operator((SOME,), Type.OBJECT), Operator((EVENTS,), Type.EVENT)),
        "count": (Operator((SOME,), Type.NUMBER), Operator((EVENTS,), Type.NUMBER)),
        "exist": (Operator((SOME,), Type.YES_NO), Operator((EVENTS,), Type.YES_NO)),
    }


OPERATORS = _table()
"""Every operator by its name; some work on objects as well as on events."""
LITERALS: dict[str, Type] = (
    dict.fromkeys(COLORS, Type.COLOR)
    | dict.fromkeys(MATERIALS, Type.MATERIAL)
    | dict.fromkeys(SHAPES, Type.SHAPE)
    | dict.fromkeys(ORDERS, Type.ORDER)
    | dict.fromkeys((CHANGE_PREFIX + change for change in CHANGES), Type.CHANGE)
    | {NULL: Type.NULL}
)


def check(program: Program, given: tuple[Type, ...] = ()) -> Type:
    """The type of what a program gives, if it is well formed; `given` lies on the stack at its start."""
    return steps(program, given)[-1]


def check_question(question: Question) -> None:
    """Checks a question's program, or that of each option followed by the question's, which must say yes or no."""
    if not question.choices:
        check(question.program, given=() if question.kind == "factual" else (Type.EVENT,))
    for choice in question.choices:
        check(choice.program)
        given = check(choice.program + question.program)
        if given != Type.YES_NO:
            raise ProgramError(f"option {choice.id}: its program gives {given.value}, not yes/no")


@lru_cache(maxsize=4096)
def steps(program: Program, given: tuple[Type, ...] = ()) -> tuple[Type, ...]:
    """The type of what each token puts on the stack, if the program is well formed."""
    if not program:
        raise ProgramError("the program is empty")
    stack = list(given)
    found = []
    for position, token in enumerate(program):
        stack = _after(stack, token, position)
        found.append(stack[-1])
    if len(stack) > 1:
        left = _listed([own.value for own in stack])
        raise ProgramError(f"the program ends with {len(stack)} values ({left}); it should end with one")
    return tuple(found)


def arguments(token: str) -> int:
    """How many values a token takes from the stack."""
    return len(OPERATORS[token][0].takes) if token in OPERATORS else 0


def _after(stack: list[Type], token: str, position: int) -> list[Type]:
    where = f"token {position} ({token!r})"
    if token in LITERALS:
        return [*stack, LITERALS[token]]
    if token not in OPERATORS:
        close = get_close_matches(str(token), [*OPERATORS, *LITERALS], n=3)
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        raise ProgramError(f"{where}: there is no such operator or literal{hint}")
    wanted = arguments(token)
    taken = stack[len(stack) - wanted :] if wanted <= len(stack) else stack
    for operator in OPERATORS[token]:
        if operator.accepts(taken):
            return [*stack[: len(stack) - wanted], operator.gives]
    wants = "; or ".join(operator.wants for operator in OPERATORS[token])
    raise ProgramError(f"{where}: takes {wants}, but got {_listed([own.value for own in taken])}")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "nothing"
