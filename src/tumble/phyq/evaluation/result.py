"""Results of Phy-Q's runs: which attempts passed, pass rates and scores; and own human figures.

Human figures are pass rates of the participants of studies, computed as the published ones were.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import nan

import numpy as np

from tumble.errors import TumbleError
from tumble.phyq.evaluation import metrics
from tumble.phyq.evaluation.metrics import (
    DEFAULT_PROTOCOL,
    PROTOCOLS,
    SCORED_SCENARIOS,
    by_scenario,
    by_template,
    people_rate,
)
from tumble.phyq.evaluation.published_results import HUMAN
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.simulation.attempt import GAVE_UP, WON, score_of
from tumble.runs.evaluate import Result, spec_of
from tumble.runs.log import Log, Row
from tumble.runs.participant import Person


@dataclass(frozen=True)
class PhyQResult(Result):
    """Pass rates and the Phy-Q score of a run."""

    spec: PhyQRunSpec
    passed: dict[str, list[bool]]
    """By finished task: which attempts passed."""
    attempts_given_up: int = 0
    """Attempts that the agent ended with birds left, by proposing no shot."""
    scores: dict[str, list[int]] = field(default_factory=dict)
    """By finished level of a level set: the points of each attempt, 0 for those that failed."""
    thought: dict[str, float] = field(default_factory=dict)
    """Of a person, by finished task: seconds of thought until the first pass."""
    wins: dict[str, list[tuple[float | None, ...]]] = field(default_factory=dict, repr=False)
    """By finished task: the numbers of the shots of each attempt that passed."""

    @property
    def setting(self) -> str:
        return self.spec.setting

    def task_rates(self, protocol: str = DEFAULT_PROTOCOL) -> dict[str, float]:
        """The rate of each task, by id."""
        return {task_id: PROTOCOLS[protocol](passed) for task_id, passed in self.passed.items() if passed}

    def template_rates(self, protocol: str = DEFAULT_PROTOCOL) -> dict[str, float]:
        """The rate of each template, the mean over its tasks; by level for levels, which have no template."""
        return metrics.by_template(self.task_rates(protocol))

    def scenario_rates(self, protocol: str = DEFAULT_PROTOCOL) -> dict[int, float]:
        """The rate of each scenario, the mean over its templates; empty for levels, which have no scenario."""
        return {} if self.setting == "levels" else metrics.by_scenario(self.template_rates(protocol))

    @cached_property
    def mean(self) -> float:
        """The mean over scenarios (broad), over levels, or over templates; NaN if no task is finished."""
        return self.mean_under(DEFAULT_PROTOCOL)

    def mean_under(self, protocol: str) -> float:
        """The mean as `mean` is, under another protocol."""
        rates = self.scenario_rates(protocol) if self.setting == "broad" else self.template_rates(protocol)
        return sum(rates.values()) / len(rates) if rates else nan

    @property
    def phy_q(self) -> float | None:
        """The score; None unless all scored scenarios were attempted in the broad setting."""
        return self.phy_q_relative_to(HUMAN)

    def phy_q_relative_to(
        self, humans: Mapping[int, tuple[float, float]], protocol: str = DEFAULT_PROTOCOL
    ) -> float | None:
        """The score with other human figures than the published ones, or under another protocol."""
        rates = self.scenario_rates(protocol)
        if self.setting != "broad" or not set(metrics.SCORED_SCENARIOS) <= rates.keys():
            return None
        return metrics.phy_q(rates, humans=humans)

    @property
    def levels_solved(self) -> int:
        """The number of tasks that some attempt passed."""
        return sum(map(any, self.passed.values()))

    @property
    def mean_score(self) -> float:
        """The mean over levels and attempts of the game's points, 0 for attempts that failed."""
        points = [score for own in self.scores.values() for score in own]
        return sum(points) / len(points) if points else nan

    @property
    def total_score(self) -> int:
        """The sum over levels of the best attempt's points, as competitions count them."""
        return sum(max(own, default=0) for own in self.scores.values())

    @property
    def score(self) -> float:
        return self.mean_score if self.setting == "levels" else 100.0 * self.mean

    @property
    def summary(self) -> str:
        score = "" if self.phy_q is None else f", Phy-Q {self.phy_q:.1f}"
        given_up = f"; {self.attempts_given_up} attempts given up" if self.attempts_given_up else ""
        if self.setting == "levels":
            solved = f"solved {self.levels_solved} of {len(self.passed)} levels"
            rate = f"passed {100.0 * self.mean:.1f} % of attempts"
            return f"{solved}, {rate}, mean score {self.mean_score:,.0f}{given_up}"
        over = "scenarios" if self.setting == "broad" else "templates"
        return f"passed {100.0 * self.mean:.1f} % of attempts, mean over {over}{score}{given_up}"


def result_of(log: Log) -> PhyQResult:
    """The result of a run, from its finished tasks."""
    spec = spec_of(log, PhyQRunSpec)
    passed = {task_id: [row["status"] == WON for row in rows] for task_id, rows in log.tasks.items()}
    given_up = sum(row["status"] == GAVE_UP for row in log.rows())
    scores = {}
    if spec.setting == "levels":
        scores = {task_id: [score_of(row) for row in rows] for task_id, rows in log.tasks.items()}
    timed = (
        {task_id: seconds_of_thought(rows) for task_id, rows in log.tasks.items()} if spec.participant is Person else {}
    )
    thought = {task_id: seconds for task_id, seconds in timed.items() if seconds is not None}
    wins = {
        task_id: [tuple(row["action"]) for row in rows if row["status"] == WON] for task_id, rows in log.tasks.items()
    }
    return PhyQResult(log.path, log.header, log.finished, len(log.tasks), spec, passed, given_up, scores, thought, wins)


def seconds_of_thought(rows: Sequence[Row]) -> float | None:
    """Seconds that a person thought about a task: before the release of each shot, until the first pass.

    None for a task that was given up at once, and where a time is missing.
    """
    seconds: list[float] = []
    for row in rows:
        if row["status"] == GAVE_UP and not row["action"]:  # the person had given up
            break
        if not row["released_ms"] or None in row["released_ms"]:
            return None
        seconds += [time / 1000.0 for time in row["released_ms"]]
        if row["status"] == WON:
            break
    return sum(seconds) if seconds else None


LEAST_PEOPLE = 2

HumanFigures = Mapping[int, tuple[float, float]]
"""By scenario: the mean pass rate of people and its standard deviation over them, as in `published_results.HUMAN`."""


def people_of(results: Sequence[PhyQResult]) -> list[PhyQResult]:
    """Finished runs of people."""
    return [result for result in results if result.spec.participant is Person and result.finished]


def people_figures(results: Sequence[PhyQResult]) -> HumanFigures:
    """The figures of people, from one run of each, which must be finished and have all scored scenarios."""
    rates = [
        by_scenario(by_template({task_id: people_rate(passed) for task_id, passed in result.passed.items()}))
        for result in people_of(results)
        if result.setting != "levels"
    ]
    whole = [one for one in rates if set(SCORED_SCENARIOS) <= one.keys()]
    if len(whole) < LEAST_PEOPLE:
        raise TumbleError(
            f"human figures need finished logs of {LEAST_PEOPLE} people or more with scenarios 3 to 15, "
            f"got {len(whole)}"
        )
    shared = sorted(set.intersection(*(set(one) for one in whole)))
    table = {number: [one[number] for one in whole] for number in shared}
    figures = {number: (float(np.mean(own)), float(np.std(own))) for number, own in table.items()}
    equal = [str(number) for number in SCORED_SCENARIOS if figures[number][1] == 0.0]
    if equal:
        raise TumbleError(
            f"a Phy-Q score is in standard deviations of people, who are all equal in scenario {', '.join(equal)}; "
            "it needs more people, or more tasks"
        )
    return figures
