"""Runs programs on a story, step by step.

What has no answer, such as the only one of an empty set, is the value "error", as in the published files, and so is
everything that is made from it.
"""

from dataclasses import dataclass
from typing import Any

from tumble.comphy.questions.programs.facts import ERROR, Happening, World
from tumble.comphy.questions.programs.operators import MEANINGS, Pair
from tumble.comphy.questions.programs.program import LITERALS, Type, arguments, steps
from tumble.comphy.questions.programs.story import Story
from tumble.comphy.tasks.question import CORRECT, WRONG, Program, Question


@dataclass(frozen=True)
class Step:
    """A token of a program and the value that it left, in words."""

    token: str
    value: str


class Executor:
    """Runs programs on one story; what is worked out about the motion is kept for the next program."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.world = World(story)

    def execute(self, program: Program) -> str:
        """A program's answer."""
        return _answer(self._values(program)[-1])

    def answers(self, question: Question) -> tuple[str, ...]:
        """A factual question's answer, or "correct" or "wrong" (or "error") for each option."""
        if question.kind == "factual":
            return (self.execute(question.program),)
        verdicts = {"yes": CORRECT, "no": WRONG, ERROR: ERROR}
        return tuple(verdicts[self.execute(choice.program + question.program)] for choice in question.choices)

    def trace(self, program: Program) -> tuple[Step, ...]:
        """A program's steps."""
        shown = zip(program, self._values(program), steps(program), strict=True)
        return tuple(Step(token, self._in_words(value, kind)) for token, value, kind in shown)

    def subject(self, program: Program) -> tuple[Any, ...]:
        """The bodies or events that a program's last token looks at; none if it looks at more than one thing."""
        if arguments(program[-1]) != 1:
            return ()
        value = self._values(program[:-1])[-1]
        return value if isinstance(value, tuple) else (value,)

    def _values(self, program: Program) -> list[Any]:
        steps(program)
        stack: list[Any] = []
        found = []
        for token in program:
            if token in LITERALS:
                value: Any = token
            else:
                first = len(stack) - arguments(token)
                taken, stack = stack[first:], stack[:first]
                value = self._applied(token, taken)
            stack.append(value)
            found.append(value)
        return found

    def _applied(self, token: str, taken: list[Any]) -> Any:
        if any(isinstance(value, str) and value == ERROR for value in taken):
            return ERROR
        if any(isinstance(value, Pair) for value in taken) and not token.startswith("query_both_"):
            return ERROR
        return MEANINGS[token](self.world, *taken)

    def _in_words(self, value: Any, kind: Type) -> str:
        if isinstance(value, str):
            return value
        if kind in (Type.OBJECT, Type.OBJECTS):
            bodies = (value,) if isinstance(value, int) else value
            return ", ".join(str(self.story.bodies[k]) for k in bodies) or "none"
        if kind in (Type.EVENT, Type.EVENTS):
            events = (value,) if isinstance(value, Happening) else value
            return ", ".join(map(self._event_in_words, events)) or "none"
        if kind == Type.FRAME:
            return f"frame {value}"
        if kind == Type.MASSES:
            return ", ".join(map(str, value)) or "none"
        return _answer(value)

    def _event_in_words(self, event: Happening) -> str:
        who = " and ".join(str(self.story.bodies[k]) for k in event.bodies)
        when = "" if event.frame is None else f" at frame {event.frame}"
        return event.kind + (f" of {who}" if who else "") + when


def execute(program: Program, story: Story) -> str:
    """A program's answer on a story."""
    return Executor(story).execute(program)


def trace(program: Program, story: Story) -> tuple[Step, ...]:
    """The steps of a program on a story."""
    return Executor(story).trace(program)


def _answer(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
