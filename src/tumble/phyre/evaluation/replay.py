"""Replays the attempts of PHYRE's run logs, and finds the failed ones that came nearest to the goal."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tumble.phyre.agents.explorer.evidence import goal_distances
from tumble.phyre.catalogue.task import Task
from tumble.phyre.evaluation.evaluate import is_lost
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.observation.picture_files import STEPS_PER_SECOND
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, NOT_SOLVED, SOLVED
from tumble.progress import Advance
from tumble.runs.evaluate import check_unchanged
from tumble.runs.log import Log, Row
from tumble.runs.replay import first_replay_difference, numbering_problem

BATCH_SIZE = 5000


def replay(log: Log, advance: Advance = lambda _: None) -> str:
    """Describes the first difference between a log and its replay; empty if there is none."""
    spec = check_unchanged(log, PhyreRunSpec)
    simulator = Simulator(spec.tasks_to_attempt(), spec.tier, spec.device)

    def problem(task_id: str, rows: Sequence[Row]) -> str:
        if len(rows) > spec.attempts:
            return f"has {len(rows)} attempts, more than {spec.attempts}"
        if any(row["status"] >= SOLVED for row in rows[:-1]):
            return "was attempted again after it was solved"
        solved = bool(rows) and rows[-1]["status"] >= SOLVED
        if len(rows) < spec.attempts and not solved and task_id not in log.given_up:
            return f"has only {len(rows)} of {spec.attempts} attempts, and was neither solved nor given up"
        return numbering_problem(rows)

    def roll_out(rows: Sequence[Row]) -> list[Row]:
        made = [row for row in rows if not is_lost(row)]
        statuses, steps = simulator.outcomes([row["task"] for row in made], [row["action"] for row in made])
        again = ({"status": int(one), "steps": int(count)} for one, count in zip(statuses, steps, strict=True))
        return [{"status": INVALID, "steps": 0} if is_lost(row) else next(again) for row in rows]

    return first_replay_difference(log, spec.task_ids(), problem, roll_out, BATCH_SIZE, advance)


NEAREST_STRIDE = 5
"""Steps between the frames in which distances are measured to choose an attempt."""
MAX_COMPARED = 100
"""Of each task that are compared."""
TOUCHING_GAP = 0.1
"""Pixels between two bodies that count as touching; the engine keeps bodies in contact this far apart."""
PLATEAU = 0.05
"""Pixels by which the distance at the shown moment, the first of a rest, may exceed the smallest."""
NEAREST_BATCH = 1000
"""Attempts that are simulated together: a recorded one takes up to 100 kB."""


@dataclass(frozen=True)
class NearestMoment:
    """The moment of an attempt at which the goal's two bodies were nearest to each other."""

    step: int
    distance: float
    """Pixels."""
    touching_steps: int
    """The longest time for which they touched without a break, in steps."""

    @property
    def text(self) -> str:
        if self.touching_steps:
            return f"they touch for only {self.touching_steps / STEPS_PER_SECOND:.1f} s"
        distance = f"{self.distance:.1f}" if self.distance < 10.0 else f"{self.distance:.0f}"
        return f"nearest after {self.step / STEPS_PER_SECOND:.1f} s: {distance} px apart"


def nearest_moment(task: Task, poses: np.ndarray, stride: int = 1) -> NearestMoment:
    """Where the goal's bodies come nearest in poses [frames, bodies, 3 or more] that are `stride` steps apart."""
    distances = goal_distances(task, poses)
    touching = np.concatenate([[False], distances <= TOUCHING_GAP, [False]])
    starts, ends = (np.flatnonzero(np.diff(touching.astype(int)) == sign) for sign in (1, -1))
    if len(starts):
        longest = int(np.argmax(ends - starts))
        return NearestMoment(int(starts[longest]) * stride, 0.0, int(ends[longest] - starts[longest]) * stride)
    step = int(np.argmax(distances <= distances.min() + PLATEAU))
    return NearestMoment(step * stride, float(distances.min()), 0)


def nearest_misses(simulator: Simulator, attempts_at: Mapping[str, Sequence[Row]]) -> dict[str, Row]:
    """By task: the failed attempt, of its rows in the log, that came nearest to the goal; tasks with none are absent.

    Of several attempts in which the bodies touched, the one in which they did for longest. Where the goal is another
    relation than touching, the first failed attempt.
    """
    failed = {task: [row for row in rows if row["status"] == NOT_SOLVED] for task, rows in attempts_at.items()}
    most = {task: MAX_COMPARED if simulator.task(task).only_touching else 1 for task in failed}
    rows = [row for task, failures in failed.items() for row in failures[: most[task]]]
    best: dict[str, tuple[tuple[float, int], Row]] = {}
    for row, attempt in _with_states(simulator, rows):
        assert attempt.states is not None
        moment = nearest_moment(simulator.task(row["task"]), attempt.states, NEAREST_STRIDE)
        rank = (moment.distance, -moment.touching_steps)
        if row["task"] not in best or rank < best[row["task"]][0]:
            best[row["task"]] = (rank, row)
    return {task: row for task, (_, row) in best.items()}


def _with_states(simulator: Simulator, rows: Sequence[Row]) -> Iterator[tuple[Row, Attempt]]:
    for first in range(0, len(rows), NEAREST_BATCH):
        batch = rows[first : first + NEAREST_BATCH]
        tasks, actions = [row["task"] for row in batch], [row["action"] for row in batch]
        attempts = simulator.attempts(tasks, actions, stride=NEAREST_STRIDE, want=["states"])
        yield from zip(batch, attempts, strict=True)
