"""Scripted answers to Phy-Q's puzzles: stored solutions, and the shots of the agent `random`."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from scripted_model import Request, Script

from tumble.phyq.benchmark import PHYQ
from tumble.phyq.catalogue.physics import STEP
from tumble.phyq.catalogue.tasks import cached_task
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.llm.puzzle_set import answer_of, solution_answers
from tumble.phyq.simulation.attempt import WON, shots_of
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.progress import Advance
from tumble.runs.log import Row

Rows = Mapping[str, Sequence[Row]]
"""Of the attempts at each task."""
BATCH = 1000
"""Episodes that are played together."""


def solutions(request: Request) -> str:
    """The stored solution."""
    return solution_answers(request.task)[request.parts]


def random_rows(ids: Sequence[str], attempts: int, seed: int, folder: Path, advance: Advance) -> Rows:
    """What the agent `random` does at tasks until its first win, where a model stops too."""
    spec = PhyQRunSpec("random", "tasks", tuple(ids), attempts, seed=seed)
    log = PHYQ.run(spec, folder, lambda *_: None)
    advance(1)
    return {task_id: until_won(log.tasks[task_id]) for task_id in ids}


def until_won(rows: Sequence[Row]) -> list[Row]:
    """The attempts up to the first that won."""
    first = next((number for number, row in enumerate(rows, 1) if row["status"] == WON), len(rows))
    return list(rows[:first])


def shots_as_answers(rows: Rows) -> Script:
    """The shots of attempts, with taps in seconds: the agent's are shares of the flight without a tap.

    Where a model makes more attempts, as it lost some, they are made again from the first on.
    """
    attempts = {(task_id, number): row for task_id, own in rows.items() for number, row in enumerate(own)}
    answers = dict(zip(attempts, timed_shots(list(attempts.values())), strict=True))

    def reply(request: Request) -> str:
        number = request.attempts % len(rows[request.task])
        return json.dumps(answer_of(answers[request.task, number][request.parts]))

    return reply


def timed_shots(rows: Sequence[Row]) -> list[list[Shot]]:
    """The shots of attempts, with the times of their taps."""
    levels = {task_id: number for number, task_id in enumerate(dict.fromkeys(row["task"] for row in rows))}
    simulator = Simulator([cached_task(task_id).level for task_id in levels])
    found = []
    for first in range(0, len(rows), BATCH):
        batch = rows[first : first + BATCH]
        sequences = [shots_of(row["action"]) for row in batch]
        episodes = simulator.play([levels[row["task"]] for row in batch], sequences)
        for k, shots in enumerate(sequences):
            steps = episodes.tapped[k] - episodes.released[k]
            found.append([timed(shot, int(steps[n]), episodes.tapped[k, n] > 0) for n, shot in enumerate(shots)])
    return found


def timed(shot: Shot, steps: int, tapped: bool | np.bool_) -> Shot:
    """A shot whose tap is so many steps after the release; without one if the bird was not tapped."""
    return replace(shot, tap_share=None, tap_ms=1000.0 * STEP * max(1, steps) if tapped else None)
