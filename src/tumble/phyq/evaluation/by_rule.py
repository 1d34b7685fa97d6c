"""How many of an agent's passes follow the rule of their template: the shots of a log are played again.

A pass that does not follow it was won in another way than the one that the scenario asks for.
"""

from collections import Counter

from tumble.errors import TumbleError
from tumble.phyq.evaluation.log_rows import shots_of
from tumble.phyq.evaluation.result import PhyQResult
from tumble.phyq.generation.rule_check import following
from tumble.phyq.simulation.simulator import Simulator, physics_id
from tumble.phyq.tasks.templates import template


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
    return result.setting != "levels" and result.header.physics == physics_id() and has_its_tasks(result)


def has_its_tasks(result: PhyQResult) -> bool:
    """Whether the levels that were attempted are still there, unchanged."""
    try:
        digests = result.spec.task_digests()
    except (TumbleError, OSError):
        return False
    return all(result.header.digests.get(name) == digest for name, digest in digests.items())
