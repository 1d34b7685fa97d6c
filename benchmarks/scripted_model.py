"""Scripted answers through the path of a real model: inspect_ai's task, its solver and scorer, and mockllm/model.

    log = evaluate("phyre", {"limit": 20}, script, folder, advance)

A script is told which task it is asked about, which prompts do not say.
"""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from hostile_answers import hostile_answer
from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import store

from tumble.inspect_tasks.solver import TURNS
from tumble.inspect_tasks.tasks import TASKS
from tumble.progress import Advance

MODEL = "mockllm/model"
SAMPLES = 32
"""That are under way at the same time."""
ASKED = "asked"
"""In the store of a sample: the id of its task."""
NO_USAGE = ModelUsage(input_tokens=0, output_tokens=0, total_tokens=0)
"""Without it, inspect_ai would fetch a tokeniser."""


@dataclass(frozen=True)
class Request:
    """What a script is asked."""

    task: str
    """The id of the puzzle."""
    replies: int
    """Answers that were given before."""
    turns: Sequence[Mapping[str, Any]]
    """What came of them, as in logs."""

    @property
    def attempts(self) -> int:
        """Attempts that were made."""
        return sum(turn["counts"] for turn in self.turns)

    @property
    def parts(self) -> int:
        """Turns of the attempt under way."""
        return next((number for number, turn in enumerate(reversed(self.turns)) if turn["counts"]), len(self.turns))


Script = Callable[[Request], str]


def malformed(good: Script, seed: int) -> Script:
    """Every second answer on average is malformed, hostile or empty, the others are those of another script."""

    def reply(request: Request) -> str:
        numbers = (seed, zlib.crc32(request.task.encode()), request.replies)
        return good(request) if Random(f"half {numbers}").random() < 0.5 else hostile_answer(*numbers)

    return reply


def evaluate(benchmark: str, selection: Mapping[str, Any], script: Script, folder: Path, advance: Advance) -> EvalLog:
    """The log of a script on the puzzles of a selection; `advance` is called with each number of samples finished."""

    def output(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        replies = sum(message.role == "assistant" for message in messages)
        made = ModelOutput.from_content(MODEL, script(Request(store().get(ASKED), replies, store().get(TURNS))))
        made.usage = NO_USAGE
        return made

    async def finished(_: TaskState) -> None:
        advance(1)

    task = task_with(TASKS[benchmark](cache=False, **selection), setup=_remember_task(), cleanup=finished)
    (log,) = inspect_eval(
        task,
        model=get_model(MODEL, custom_outputs=output, memoize=False),
        display="none",
        log_dir=str(folder),
        log_realtime=False,
        log_images=False,
        max_connections=SAMPLES,
        max_samples=SAMPLES,
    )
    if log.status != "success" or log.results is None:
        raise SystemExit(f"the evaluation ended with {log.status}: {log.error.message if log.error else ''}")
    return log


def metrics(log: EvalLog) -> dict[str, float]:
    """The scores of a log by name, with their standard errors."""
    assert log.results is not None
    return {name: float(metric.value) for score in log.results.scores for name, metric in score.metrics.items()}


@solver
def _remember_task() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.store.set(ASKED, state.metadata["task"])
        return state

    return solve
