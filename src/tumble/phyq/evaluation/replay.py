"""Replays the attempts of Phy-Q's run logs."""

from collections.abc import Sequence

from tumble.phyq.evaluation.log_rows import STATUS_CODES, shots_of
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.simulation.attempt import attempt_shots
from tumble.phyq.simulation.shots import ShotError
from tumble.phyq.simulation.simulator import Simulator
from tumble.progress import Advance
from tumble.runs.log import Log, Row
from tumble.runs.replay import first_difference, numbering_problem
from tumble.runs.run import check_unchanged

BATCH_SIZE = 1000


def replay(log: Log, advance: Advance = lambda _: None) -> str:
    """Describes the first difference between a log and its replay; empty if there is none."""
    spec = check_unchanged(log, PhyQRunSpec)
    ids = spec.task_ids()
    level_of = {task_id: number for number, task_id in enumerate(ids)}
    simulator = Simulator([spec.task(task_id).level for task_id in ids], spec.device)

    def problem(task_id: str, rows: Sequence[Row]) -> str:
        if len(rows) != spec.attempts:
            return f"has {len(rows)} attempts, not {spec.attempts}"
        birds = len(spec.task(task_id).level.birds)
        try:
            shots = max(len(shots_of(row["action"])) for row in rows)
        except ShotError as error:
            return f"has invalid shots: {error}"
        return f"has {shots} shots in an attempt, but {birds} birds" if shots > birds else numbering_problem(rows)

    def play(rows: Sequence[Row]) -> list[Row]:
        levels = [level_of[row["task"]] for row in rows]
        played = attempt_shots(simulator, levels, [shots_of(row["action"]) for row in rows])
        return [
            {"status": STATUS_CODES[attempt.status], "steps": attempt.steps, "score": str(attempt.score)}
            for attempt in played
        ]

    return first_difference(log, ids, problem, play, BATCH_SIZE, advance)
