"""A tiny benchmark for tests of language models: guess a number from 1 to 9 in three attempts."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from tumble.benchmark import Benchmark, BenchmarkError
from tumble.llm.puzzle import AnswerError, Message, Outcome, Picture, Puzzle, PuzzleSet
from tumble.progress import Advance
from tumble.runs.log import Log, Row
from tumble.runs.participant import AgentRegistry, BaseAgent, ColumnType
from tumble.runs.spec import RunSpec

HIGHEST = 9
ATTEMPTS = 3
PNG = b"\x89PNG\r\n\x1a\n not a real one"
SCHEMA = {
    "type": "object",
    "properties": {"guess": {"type": "integer", "minimum": 1, "maximum": HIGHEST}},
    "required": ["guess"],
    "additionalProperties": False,
}


def secret(task_id: str) -> int:
    """The number of a task: "odd:3" is the third of the template odd."""
    template, _, number = task_id.partition(":")
    return (2 * int(number) + (template == "odd")) % HIGHEST + 1


class GuessPuzzle(Puzzle):
    """Guess a number; after a wrong guess the model is told "higher" or "lower"."""

    def __init__(self, task_id: str, mode: str, attempts: int) -> None:
        self.id, self.template, self.attempts, self.schema = task_id, task_id.partition(":")[0], attempts, SCHEMA
        self.look_description = "Shows the hat."
        self._mode, self._left, self._solved = mode, attempts, False

    def opening(self) -> tuple[Message, ...]:
        shown = () if self._mode == "text" else (Picture(PNG, "the hat"),)
        text = f"Task {self.id}. A number from 1 to {HIGHEST} is in the hat."
        return Message("system", ('Guess numbers. Answer {"guess": n}.',)), Message("user", (text, *shown))

    def read(self, answer: Mapping[str, Any]) -> int:
        guess = answer.get("guess")
        if isinstance(guess, bool) or not isinstance(guess, int):
            raise AnswerError('"guess" must be a whole number')
        return guess

    def attempt(self, action: int) -> Outcome:
        if not 1 <= action <= HIGHEST:
            return Outcome("invalid", False, feedback=(f"Not from 1 to {HIGHEST}.",), record={"guess": action})
        self._left -= 1
        self._solved = action == secret(self.id)
        told = "Lower." if action > secret(self.id) else "Higher."
        return Outcome(
            "solved" if self._solved else "not solved",
            True,
            self._solved,
            (told,),
            {"guess": action, "right": self._solved},
        )

    def imagine(self, action: int) -> Outcome:
        right = action == secret(self.id)
        told = "Right." if right else "Wrong."
        return Outcome("solved" if right else "not solved", False, right, (told,))

    def look(self, wanted: Mapping[str, Any]) -> tuple[Picture]:
        if wanted:
            raise AnswerError("there is only one thing to look at")
        return (Picture(PNG, "the hat"),)

    def skip(self) -> Outcome:
        self._left -= 1
        return Outcome("not solved", True, feedback=("That attempt is lost.",), record={"guess": None, "right": False})

    @property
    def over(self) -> bool:
        return self._solved or self._left <= 0


class GuessSet(PuzzleSet):
    prompt_version = "guess-1"
    tools = ("simulate", "look")

    def __init__(self, limit: int = 20, mode: str = "text", attempts: int = ATTEMPTS) -> None:
        numbers = range(1, 11)
        self.ids = [f"{template}:{number}" for template in ("odd", "even") for number in numbers][:limit]
        self._mode, self._attempts = mode, attempts

    def puzzle(self, task_id: str) -> GuessPuzzle:
        return GuessPuzzle(task_id, self._mode, self._attempts)

    def scores(self, records: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, float]:
        solved = [any(record["right"] for record in own) for own in records.values()]
        first = [bool(own) and own[0]["right"] for own in records.values()]
        return {"solved": sum(solved) / len(solved), "solved_at_once": sum(first) / len(first)}

    def spec(self, model: str, settings: Mapping[str, Any]) -> "GuessSpec":
        own = {"model": model, "mode": self._mode, "prompts": self.prompt_version, **settings}
        return GuessSpec("llm", self._attempts, settings=own, limit=len(self.ids))

    def rows(self, records: Sequence[Mapping[str, Any]]) -> list[Row]:
        return [
            {
                "attempt": number,
                "status": int(record["right"]),
                "guess": record["guess"],
            }
            for number, record in enumerate(records, 1)
        ]


@dataclass(frozen=True)
class GuessSpec(RunSpec):
    benchmark = "guess"
    registry = AgentRegistry[Any](__name__, {}, BaseAgent, "propose(self, task, past)")

    attempts: int = ATTEMPTS

    @classmethod
    def physics_id(cls) -> str:
        return "guess-1"

    def own_columns(self) -> Mapping[str, ColumnType]:
        return {"guess": "whole?"}

    def task_ids(self) -> Sequence[str]:
        return GuessSet(self.limit or 20).ids


class Guess(Benchmark):
    """Only what language models need."""

    name, title, summary = "guess", "Guess", "guess a number"
    spec = GuessSpec  # type: ignore[assignment]
    evaluate = result = commands = None  # type: ignore[assignment]

    def replay(self, log: Log, advance: Advance) -> str:
        for task_id, rows in log.tasks.items():
            for row in rows:
                if row["status"] != int(row["guess"] == secret(task_id)):
                    return f"task {task_id}, attempt {row['attempt']}: another status"
        return ""

    def puzzles(self, selection: Mapping[str, Any]) -> GuessSet:
        if unknown := selection.keys() - {"limit", "mode", "attempts"}:
            raise BenchmarkError(f"no such key: {', '.join(sorted(unknown))}; there are limit, mode and attempts")
        return GuessSet(**selection)

    def selection(self, spec: GuessSpec) -> Mapping[str, Any]:
        return {"limit": spec.limit or 20, "attempts": spec.attempts, "mode": spec.settings.get("mode", "text")}


@contextmanager
def installed() -> Iterator[Guess]:
    """With Guess as the only benchmark."""
    from tumble.inspect_tasks.solver import _puzzle_set

    _puzzle_set.cache_clear()
    guess = Guess()
    with patch("tumble.benchmark.installed", lambda: ({"guess": guess}, ())):
        yield guess
    _puzzle_set.cache_clear()
