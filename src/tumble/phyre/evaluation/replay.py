"""Replays the attempts of PHYRE's run logs."""

from collections.abc import Sequence

from tumble.phyre.evaluation.log_rows import is_lost
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, SOLVED
from tumble.progress import Advance
from tumble.runs.log import Log, Row
from tumble.runs.replay import first_difference, numbering_problem
from tumble.runs.run import check_unchanged

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

    return first_difference(log, spec.task_ids(), problem, roll_out, BATCH_SIZE, advance)
