"""Metrics of an agent: pass rates by task, template and scenario under four protocols, and the Phy-Q score."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from tumble.checks import number, shown
from tumble.errors import TumbleError
from tumble.phyq.evaluation.published_results import BROAD, HUMAN

SCORED_SCENARIOS = tuple(range(3, 16))
"""Scenarios 1 and 2 need only direct hits and don't count."""
PEOPLE_ATTEMPTS = 5
"""The most attempts of people that counted."""


def mean_rate(passed: Sequence[bool]) -> float:
    """The share of the attempts at a task that passed."""
    return sum(passed) / len(passed)


def first_attempt_rate(passed: Sequence[bool]) -> float:
    """1 if the first attempt at a task passed, else 0."""
    return float(passed[0])


def rate_to_first_pass(passed: Sequence[bool]) -> float:
    """The share of attempts at a task that passed if they end at the first pass: 1 / its number."""
    return 1.0 / (passed.index(True) + 1) if any(passed) else 0.0


def people_rate(passed: Sequence[bool]) -> float:
    """The rate of a person at a task: 1 for a pass at the first attempt, less for a later one; 0 without a pass.

    >>> [people_rate(passed) for passed in ([True] * 5, [False, True, True, False, False], [False] * 5)]
    [1.0, 0.8, 0.0]
    """
    return 1.0 - passed.index(True) / len(passed) if True in passed else 0.0


def rate_as_people(passed: Sequence[bool]) -> float:
    """The rate at a task as the published ones of people were computed, from the first five attempts."""
    return people_rate(passed[:PEOPLE_ATTEMPTS])


DEFAULT_PROTOCOL = "all attempts"
PROTOCOLS: dict[str, Callable[[Sequence[bool]], float]] = {
    "first attempt": first_attempt_rate,
    "until the first pass": rate_to_first_pass,
    DEFAULT_PROTOCOL: mean_rate,
    "as people": rate_as_people,
}
"""The rate of a task from its attempts. In the published figures learners have one attempt, Pig Shooter ends at its
first pass, all attempts of the other agents count, and people have (6 - attempts) / 5."""


def pass_rates(attempts: Iterable[tuple[str, bool]]) -> dict[str, float]:
    """By task id: the share of its attempts that passed."""
    outcomes: dict[str, list[float]] = defaultdict(list)
    for task_id, passed in attempts:
        if passed not in (False, True):
            raise TumbleError(f"task {task_id}: an attempt passed or not (True or False), not {passed!r}")
        outcomes[task_id].append(float(passed))
    return {task_id: _mean(passes) for task_id, passes in outcomes.items()}


def by_template(task_rates: Mapping[str, float]) -> dict[str, float]:
    """By template: the mean over its tasks."""
    return _grouped(task_rates, lambda task_id: task_id.split(":")[0])


def by_scenario(template_rates: Mapping[str, float]) -> dict[int, float]:
    """By scenario: the mean over its templates."""
    wrong = next((key for key in template_rates if not str(key).split(".")[0].isdigit()), None)
    if wrong is not None:
        raise TumbleError(f"{wrong!r} is no template; its id is a scenario and a number, as in 6.4")
    return {int(key): rate for key, rate in _grouped(template_rates, lambda key: key.split(".")[0]).items()}


def human_z(scenario_rates: Mapping[int, float], humans: Mapping[int, tuple[float, float]] = HUMAN) -> float:
    """The mean z-score relative to humans over the scored scenarios.

    `humans` are the mean and the standard deviation of their pass rates by scenario, by default the published ones.
    """
    missing = [str(scenario) for scenario in SCORED_SCENARIOS if scenario not in scenario_rates]
    if missing:
        raise TumbleError(f"a Phy-Q score needs the pass rates of scenarios 3 to 15; missing: {', '.join(missing)}")
    for scenario in SCORED_SCENARIOS:
        rate = scenario_rates[scenario]
        rates = np.asarray(rate, float)  # several, where the score of samples is wanted
        if not ((rates >= 0.0) & (rates <= 1.0)).all():
            raise TumbleError(f"the pass rate of scenario {scenario} must be a number from 0 to 1, not {shown(rate)}")
    return _mean([(scenario_rates[m] - humans[m][0]) / humans[m][1] for m in SCORED_SCENARIOS])


def points_per_deviation(
    random_rates: Mapping[int, float] | None = None, humans: Mapping[int, tuple[float, float]] = HUMAN
) -> float:
    """Points per standard deviation of humans, such that a random agent (by default the published one) scores 0."""
    return 100.0 / abs(human_z(published_broad("Random") if random_rates is None else random_rates, humans))


def phy_q(
    scenario_rates: Mapping[int, float],
    random_rates: Mapping[int, float] | None = None,
    humans: Mapping[int, tuple[float, float]] = HUMAN,
) -> float:
    """The Phy-Q score: humans, by default the published ones, have 100, the random agent 0."""
    return 100.0 + human_z(scenario_rates, humans) * points_per_deviation(random_rates, humans)


def published_broad(agent: str) -> dict[int, float]:
    """The published pass rates of an agent, or of "Human", by scenario."""
    if agent == "Human":
        return {scenario: mean for scenario, (mean, _) in HUMAN.items()}
    if agent not in BROAD:
        raise TumbleError(f"no published agent {agent!r}; there are Human, {', '.join(BROAD)}")
    return dict(enumerate(BROAD[agent], start=1))


def _grouped(rates: Mapping[str, float], group_of: Callable[[str], str]) -> dict[str, float]:
    groups: dict[str, list[float]] = defaultdict(list)
    for key, rate in rates.items():
        groups[group_of(key)].append(number(f"the pass rate of {key}", rate, 0, 1))
    return {group: _mean(members) for group, members in groups.items()}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
