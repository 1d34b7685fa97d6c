"""Puzzles as samples of a dataset: a sample holds which puzzle it is, and the puzzle is made when it is attempted."""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from inspect_ai.dataset import Sample

from tumble.benchmark import benchmark
from tumble.llm.puzzle import Puzzle, PuzzleSet
from tumble.llm.stratified import stratified
from tumble.llm.tools import NO_TOOLS, ToolSettings

TOOLS = "tools"
"""In the metadata of a sample whose model has tools: their settings."""
MOST_SETS = 8
"""Sets of puzzles that are kept in memory."""


def puzzle_set(name: str, selection: Mapping[str, Any]) -> PuzzleSet:
    """The puzzles of a benchmark; the same object for the same selection."""
    return _puzzle_set(name, json.dumps(dict(selection), sort_keys=True))


@lru_cache(maxsize=MOST_SETS)
def _puzzle_set(name: str, selection: str) -> PuzzleSet:
    return benchmark(name).puzzles(json.loads(selection))


def puzzle_of(metadata: Mapping[str, Any]) -> Puzzle:
    """The puzzle of a sample, from its metadata."""
    return puzzle_set(metadata["benchmark"], metadata["selection"]).puzzle(metadata["task"])


def tools_of(metadata: Mapping[str, Any]) -> ToolSettings:
    """The tools of a sample, from its metadata."""
    return ToolSettings(**metadata.get(TOOLS, {}))


def samples(
    name: str, selection: Mapping[str, Any], seed: int, prefix: str = "", tools: ToolSettings = NO_TOOLS
) -> Iterator[Sample]:
    """The samples of a selection, in turns over the templates, so that any number of the first ones is stratified.

    With seed 0 the benchmark applies the selection's `limit`, as for its other agents; other seeds draw other tasks.
    """
    limit = None
    if seed:
        selection = dict(selection)
        limit = selection.pop("limit", None)
    puzzles = puzzle_set(name, selection)
    tools.check(puzzles)
    for task_id in stratified(puzzles.ids, puzzles.template, seed)[:limit]:
        metadata = {
            "benchmark": name,
            "task": task_id,
            "template": puzzles.template(task_id),
            "selection": dict(selection),
            "prompt_version": puzzles.prompt_version,
        }
        if tools.chosen:
            metadata[TOOLS] = tools.chosen
        yield Sample(id=f"{prefix}{task_id}", input=f"{name} {task_id}", metadata=metadata)
