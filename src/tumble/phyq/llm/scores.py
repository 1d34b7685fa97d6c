"""Scores of a model: pass rates by scenario and their mean, the Phy-Q score, and tasks solved within some attempts."""

from collections.abc import Mapping, Sequence

from tumble.phyq.evaluation.metrics import SCORED_SCENARIOS, by_scenario, by_template, people_rate, phy_q
from tumble.phyq.llm.records import Record, is_won


def scores_of(records: Mapping[str, Sequence[Record]], attempts: int) -> dict[str, float]:
    """Scores by name, from the records of the attempts that counted, by task.

    `pass_rate` and `phy_q` rate a task as for people, who stop at their first win too: 1 for a win at the first
    attempt, 0.8 at the second of five, …, 0 without a win. This is higher than the share of attempts that pass, which
    is the rate of agents: what compares with them is the first attempt alone. Rates are means of templates in
    scenarios, then of scenarios; a Phy-Q score needs tasks of all scored scenarios.
    """
    if not records:
        return {}
    passed = {task_id: padded([is_won(one) for one in own], attempts) for task_id, own in records.items()}
    scenarios = by_scenario(by_template({task_id: people_rate(own) for task_id, own in passed.items()}))
    first = by_scenario(by_template({task_id: float(own[0]) for task_id, own in passed.items()}))
    found = {"pass_rate": _mean(scenarios), "first_attempt_rate": _mean(first)}
    if set(SCORED_SCENARIOS) <= scenarios.keys():
        found |= {"phy_q": phy_q(scenarios), "phy_q_first_attempt": phy_q(first)}
    for count in range(1, attempts + 1):
        found[f"solved_within_{count}"] = sum(any(own[:count]) for own in passed.values()) / len(passed)
    return found | {f"pass_rate_scenario_{number:02d}": scenarios[number] for number in sorted(scenarios)}


def _mean(rates: Mapping[int, float]) -> float:
    return sum(rates.values()) / len(rates)


def padded(passed: Sequence[bool], attempts: int) -> list[bool]:
    """Whether each of all attempts passed; those after a win, or never made, count as not."""
    return [*passed, *[False] * (attempts - len(passed))]
