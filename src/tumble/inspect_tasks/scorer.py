"""Scores of samples, and the scores of benchmarks that are computed from them.

All is computed from the turns in the log, so that `inspect score` does it again without asking a model.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from tumble.inspect_tasks.solver import TOOL_CALLS, TURNS, puzzle_set
from tumble.llm.dialogue import AnswerKind
from tumble.llm.puzzle import PuzzleSet
from tumble.llm.tools import LOOK, NOTE, REFUSED, SIMULATE
from tumble.report.estimates import clustered_errors

Records = Sequence[Mapping[str, Any]]
"""Of the attempts at a task that counted."""
Epochs = Sequence[Records]
"""The records of a task, by epoch."""
CALL_NAMES = {SIMULATE: "simulations", LOOK: "looks", NOTE: "notes", REFUSED: "refused_calls"}
"""Of the scores that say how often tools were called."""


@metric(scores="unreduced")
def puzzle_scores() -> Metric:
    """The scores of a benchmark, means over epochs, each with its standard error, clustered as the benchmark says.

    Where samples are of several benchmarks, the name of the benchmark stands before that of the score.
    """

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        groups: dict[str, list[dict[str, Any]]] = {}
        for one in scores:
            metadata = one.score.metadata or {}
            groups.setdefault(str(metadata["benchmark"]), []).append(metadata)
        values = {name: _scores_of(samples) for name, samples in groups.items()}
        if len(values) == 1:
            return next(iter(values.values()))
        return {f"{name}/{score}": value for name, own in values.items() for score, value in own.items()}

    return compute


def _scores_of(samples: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The scores of samples of one selection, and their standard errors."""
    puzzles = puzzle_set(samples[0]["benchmark"], samples[0]["selection"])
    tasks: dict[str, list[Records]] = {}
    for sample in samples:
        tasks.setdefault(sample["task"], []).append(counted_records(sample[TURNS]))
    clusters = {task_id: puzzles.cluster(task_id) for task_id in tasks}
    means = _mean_scores(puzzles, tasks)
    errors = clustered_errors(tasks, clusters, lambda some: _mean_scores(puzzles, some))
    found: dict[str, float] = {}
    for name, value in means.items():
        found[name] = value
        if name in errors:
            found[f"{name}_stderr"] = errors[name]
    return found


def _mean_scores(puzzles: PuzzleSet, tasks: Mapping[str, Epochs]) -> dict[str, float]:
    """The means over epochs; an epoch has the tasks that were attempted so often."""
    epochs = max(map(len, tasks.values()))
    values = [
        puzzles.scores({task: records[k] for task, records in tasks.items() if k < len(records)}) for k in range(epochs)
    ]
    return {name: sum(one[name] for one in values) / epochs for name in values[0] if all(name in one for one in values)}


def counted_records(turns: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The records of the attempts that counted."""
    return [turn["record"] for turn in turns if turn["counts"]]


@metric(scores="unreduced")
def answer_kinds() -> Metric:
    """The shares of answers that were valid, repaired, malformed, refused or empty."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        kinds = Counter(turn["kind"] for one in scores for turn in (one.score.metadata or {})[TURNS])
        return {kind: kinds[kind] / max(1, kinds.total()) for kind in get_args(AnswerKind)}

    return compute


@metric(scores="unreduced")
def tool_calls() -> Metric:
    """How often each tool was called in a sample, on average over those whose model has it; nothing without tools."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        samples = [calls for one in scores if (calls := (one.score.metadata or {}).get(TOOL_CALLS)) is not None]
        found = {}
        for tool, name in CALL_NAMES.items():
            counts = [calls[tool] for calls in samples if tool in calls]
            if counts:
                found[name] = sum(counts) / len(counts)
        return found

    return compute


@scorer(metrics=[puzzle_scores(), answer_kinds(), tool_calls()])
def attempts() -> Scorer:
    """Whether the puzzle was solved, 1 or 0, with all that the scores of a benchmark need."""

    async def score(state: TaskState, target: Target) -> Score:
        turns: list[dict[str, Any]] = state.store.get(TURNS, [])
        solved = any(turn["solved"] for turn in turns)
        calls = state.store.get(TOOL_CALLS)
        lines = [f"{number}. {turn['kind']}: {turn['status']}" for number, turn in enumerate(turns, 1)]
        return Score(
            value=float(solved),
            answer=state.output.completion if state.output.choices else "",
            explanation="\n".join(lines) or "no answer",
            metadata={**state.metadata, TURNS: turns, **({} if calls is None else {TOOL_CALLS: calls})},
        )

    return score
