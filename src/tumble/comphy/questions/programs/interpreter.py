"""Runs programs on a symbolic scene, step by step.

What has no answer, such as the unique element of an empty set, is the value "error", as in the published files, and so
is everything computed from it.
"""

from dataclasses import dataclass
from typing import Any

from tumble.comphy.questions.programs.context import AS_DEFINED, ProgramContext, ProgramEvent, Thresholds
from tumble.comphy.questions.programs.operators import OPERATOR_FUNCTIONS, BodyPair
from tumble.comphy.questions.programs.order_gaps import order_gaps
from tumble.comphy.questions.programs.program import LITERALS, Type, argument_count, result_types
from tumble.comphy.questions.programs.symbolic_scene import SymbolicScene
from tumble.comphy.tasks.question import CORRECT, ERROR, WRONG, Program, Question


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
