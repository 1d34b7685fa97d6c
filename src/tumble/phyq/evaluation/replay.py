"""Plays the shots of Phy-Q's run logs again: whether results repeat, and how many passes follow the rule.

A pass that does not follow the rule of its template was won in another way than the one that the scenario asks for.
"""

from collections import Counter
from collections.abc import Sequence

from tumble.errors import TumbleError
from tumble.phyq.catalogue.templates import template
from tumble.phyq.evaluation.result import PhyQResult
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.generation.rule_check import following
from tumble.phyq.simulation.attempt import STATUS_CODES, attempt_shots, shots_of
from tumble.phyq.simulation.shots import ShotError
from tumble.phyq.simulation.simulator import Simulator, physics_id
from tumble.progress import Advance
from tumble.runs.evaluate import check_unchanged
from tumble.runs.log import Log, Row
from tumble.runs.replay import first_replay_difference, numbering_problem

REPLAY_BATCH = 1000


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
            {"status": STATUS_CODES[attempt.status], "steps": attempt.steps, "score": attempt.score}
            for attempt in played
        ]

    return first_replay_difference(log, ids, problem, play, REPLAY_BATCH, advance)


def rule_share(result: PhyQResult) -> float | None:
    """The share of the passes of a run that follow the rule; None if it passed nothing, or can't be played again."""
    if not any(result.wins.values()) or not can_be_replayed(result):
        return None
    followed = passes_by_rule(result)
    return sum(followed.values()) / sum(len(wins) for wins in result.wins.values())


def passes_by_rule(result: PhyQResult) -> dict[str, int]:
    """By task: the passes that follow the rule of its template; shots that were made several times are played once."""
    by_template: dict[str, list[str]] = {}
    for task_id, wins in result.wins.items():
        if wins:
            by_template.setdefault(task_id.partition(":")[0], []).append(task_id)
    found = dict.fromkeys(result.wins, 0)
    for name, task_ids in by_template.items():
        simulator = Simulator([result.spec.task(task_id).level for task_id in task_ids], result.spec.device)
        episodes = [
            (number, task_id, numbers, count)
            for number, task_id in enumerate(task_ids)
            for numbers, count in Counter(result.wins[task_id]).items()
        ]
        shots = [shots_of(numbers) for _, _, numbers, _ in episodes]
        good = following(template(name), simulator, [number for number, *_ in episodes], shots)
        for is_good, (_, task_id, _, count) in zip(good, episodes, strict=True):
            found[task_id] += count * bool(is_good)
    return found


def can_be_replayed(result: PhyQResult) -> bool:
    """Whether the tasks of a run have rules and are still there, unchanged, with the same physics."""
    return result.setting != "levels" and result.header.physics == physics_id() and has_unchanged_tasks(result)


def has_unchanged_tasks(result: PhyQResult) -> bool:
    """Whether the levels that were attempted are still there, unchanged."""
    try:
        digests = result.spec.task_digests()
    except (TumbleError, OSError):
        return False
    return all(result.header.digests.get(name) == digest for name, digest in digests.items())
