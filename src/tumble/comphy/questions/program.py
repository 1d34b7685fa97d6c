"""Programs of questions, with the types of their operators; and answers, with when two of them are the same.

A program is tokens in postfix order, as in the published files. A token is an operator, which takes values from a
stack and puts one back, or a literal, which is put on the stack. `check_program` type-checks a program without
running it; what the operators compute is in `interpreter`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from functools import lru_cache

from tumble.comphy.catalogue.task import Program, Question
from tumble.comphy.catalogue.video_set import CHANGES
from tumble.comphy.catalogue.world import ALL_MATERIALS, ALL_SHAPES, COLORS, PLAIN, ObjectWorld
from tumble.comphy.simulation.events import DIRECTIONS
from tumble.errors import TumbleError

ORDERS = ("first", "second", "last")
NULL = "null"
CHANGE_PREFIX = "counterfact_"


class Type(str, Enum):
    """The type of a value on the stack."""

    OBJECT = "object"
    OBJECTS = "objects"
    EVENT = "event"
    EVENTS = "events"
    FRAME = "frame"
    YES_NO = "yes/no"
    NUMBER = "number"
    MASS = "mass"
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
    """The signature of an operator."""

    argument_types: tuple[tuple[Type, ...], ...]
    """The types that are accepted for each argument."""
    result_type: Type

    def accepts(self, types: Sequence[Type]) -> bool:
        """Whether it can be applied to values of these types."""
        return len(types) == len(self.argument_types) and all(
            given in accepted for given, accepted in zip(types, self.argument_types, strict=True)
        )

    @property
    def arguments_text(self) -> str:
        """Its argument types, for messages."""
        return _joined([" or ".join(kind.value for kind in accepted) for accepted in self.argument_types])


class ProgramError(TumbleError):
    """A program that is not well formed."""


ONE, SOME, EVENT, EVENTS = (Type.OBJECT,), (Type.OBJECT, Type.OBJECTS), (Type.EVENT,), (Type.EVENTS,)
"""A single object is accepted where a set is expected."""
TIME = (Type.FRAME, Type.NULL)
MASS = (Type.MASS, Type.MASSES)
"""A mass, or masses of which there must be one."""


def _operators() -> dict[str, tuple[Operator, ...]]:
    single = {
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
        "is_heavier": Operator((MASS, MASS), Type.YES_NO),
        "is_lighter": Operator((MASS, MASS), Type.YES_NO),
        "equal_charge": Operator((ONE, ONE), Type.YES_NO),
        "counterfact_events": Operator((ONE, (Type.CHANGE,)), Type.EVENTS),
        "filter_counterfact": Operator((EVENTS, ONE, (Type.CHANGE,)), Type.EVENTS),
    }
    for word in ("light", "heavy", "charged", "uncharged", "opposite", "same"):
        single[f"filter_{word}"] = Operator((SOME,), Type.OBJECTS)
    for word in ("moving", "stationary", "resting"):
        single[f"filter_{word}"] = Operator((SOME, TIME), Type.OBJECTS)
    for word in ("in", "out", "collision"):
        single[f"filter_{word}"] = Operator((EVENTS, SOME), Type.EVENTS)
    for kind, pair in ((Type.COLOR, Type.COLORS), (Type.MATERIAL, Type.MATERIALS), (Type.SHAPE, Type.SHAPES)):
        single[f"filter_{kind.value}"] = Operator((SOME, (kind,)), Type.OBJECTS)
        single[f"query_{kind.value}"] = Operator((ONE,), kind)
        single[f"query_both_{kind.value}"] = Operator((SOME,), pair)
    return {name: (operator,) for name, operator in single.items()} | {
        "unique": (
            Operator((SOME,), Type.OBJECT),
            Operator((EVENTS,), Type.EVENT),
            Operator(((Type.MASSES,),), Type.MASS),
        ),
        "count": (Operator((SOME,), Type.NUMBER), Operator((EVENTS,), Type.NUMBER)),
        "exist": (Operator((SOME,), Type.YES_NO), Operator((EVENTS,), Type.YES_NO)),
    }


OPERATORS = _operators()
"""The signatures of each operator; some accept objects as well as events."""
LITERALS: dict[str, Type] = (
    dict.fromkeys(COLORS, Type.COLOR)
    | dict.fromkeys(ALL_MATERIALS, Type.MATERIAL)
    | dict.fromkeys(ALL_SHAPES, Type.SHAPE)
    | dict.fromkeys(ORDERS, Type.ORDER)
    | dict.fromkeys((CHANGE_PREFIX + change for change in CHANGES), Type.CHANGE)
    | {NULL: Type.NULL}
)


def check_program(program: Program, initial_stack: tuple[Type, ...] = ()) -> Type:
    """The type of a program's result; raises `ProgramError` if the program is not well formed.

    >>> check_program(("objects", "red", "filter_color", "count"))
    <Type.NUMBER: 'number'>
    """
    return result_types(program, initial_stack)[-1]


def check_question(question: Question) -> None:
    """Checks a question's program, or for each option its program followed by the question's, which gives yes/no."""
    if not question.choices:
        check_program(question.program, () if question.kind == "factual" else (Type.EVENT,))
    for choice in question.choices:
        check_program(choice.program)
        result = check_program(choice.program + question.program)
        if result != Type.YES_NO:
            raise ProgramError(f"option {choice.id}: its program gives {result.value}, not yes/no")


@lru_cache(maxsize=4096)
def result_types(program: Program, initial_stack: tuple[Type, ...] = ()) -> tuple[Type, ...]:
    """The type of the value that each token puts on the stack; raises if the program is not well formed."""
    if not program:
        raise ProgramError("the program is empty")
    stack = list(initial_stack)
    types = []
    for position, token in enumerate(program):
        stack = _apply(stack, token, position)
        types.append(stack[-1])
    if len(stack) > 1:
        left = _joined([kind.value for kind in stack])
        raise ProgramError(f"the program ends with {len(stack)} values ({left}); it should end with one")
    return tuple(types)


def argument_count(token: str) -> int:
    """The number of values that a token takes from the stack."""
    return len(OPERATORS[token][0].argument_types) if token in OPERATORS else 0


def _apply(stack: list[Type], token: str, position: int) -> list[Type]:
    """The stack after a token."""
    where = f"token {position} ({token!r})"
    if token in LITERALS:
        return [*stack, LITERALS[token]]
    if token not in OPERATORS:
        close = get_close_matches(str(token), [*OPERATORS, *LITERALS], n=3)
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        raise ProgramError(f"{where}: there is no such operator or literal{hint}")
    count = argument_count(token)
    arguments = stack[len(stack) - count :] if count <= len(stack) else stack
    for operator in OPERATORS[token]:
        if operator.accepts(arguments):
            return [*stack[: len(stack) - count], operator.result_type]
    expected = "; or ".join(operator.arguments_text for operator in OPERATORS[token])
    raise ProgramError(f"{where}: takes {expected}, but got {_joined([kind.value for kind in arguments])}")


def _joined(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "nothing"


AND = " and "
Answer = str | Mapping[int, str]
"""A word for a factual question, or "correct" and "wrong" by the ids of options."""
SetAnswers = Mapping[int, Answer]
"""By the ids of questions."""
Answers = Mapping[int, SetAnswers]
"""By the indices of sets."""


def _pairs(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one + AND + other for one in words for other in words)


@lru_cache
def answers_by_type(world: ObjectWorld) -> Mapping[Type, tuple[str, ...]]:
    """All answers to factual questions in a world, by their type."""
    return {
        Type.YES_NO: ("yes", "no"),
        Type.NUMBER: tuple(map(str, range(6))),
        Type.COLOR: world.colors,
        Type.MATERIAL: world.materials,
        Type.SHAPE: world.shapes,
        Type.DIRECTION: DIRECTIONS,
        Type.COLORS: _pairs(world.colors),
        Type.MATERIALS: _pairs(world.materials),
        Type.SHAPES: _pairs(world.shapes),
    }


ANSWERS_BY_TYPE = answers_by_type(PLAIN)
"""All answers to factual questions in the plain world, by their type."""


def answer_type(question: Question) -> Type:
    """The type of a question's answer, or of the verdict on each of its options."""
    return check_program(question.program, () if question.kind == "factual" else (Type.EVENT,))


def final_operator(question: Question) -> str:
    """The last operator of a question's program, which says what is asked for, such as "query_color"."""
    return question.program[-1] if question.program else ""


def canonical_answer(answer: str) -> str:
    """An answer with the words of a pair sorted, since their order does not count.

    >>> canonical_answer("red and blue")
    'blue and red'
    """
    return AND.join(sorted(answer.split(AND)))


def same_answer(one: str, other: str) -> bool:
    """Whether two answers to a factual question are the same."""
    return canonical_answer(one) == canonical_answer(other)
