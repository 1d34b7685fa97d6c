"""Results of Phy-Q's runs: which attempts passed, and the pass rates and scores that follow."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan

from tumble.phyq.evaluation import metrics
from tumble.phyq.evaluation.log_rows import WON
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.runs.log import Log
from tumble.runs.result import Result
from tumble.runs.run import spec_of


def mean_rate(passed: Sequence[bool]) -> float:
    """The share of the attempts at a task that passed."""
    return sum(passed) / len(passed)


def first_attempt_rate(passed: Sequence[bool]) -> float:
    """1 where the first attempt passed."""
    return float(passed[0])


def rate_to_first_pass(passed: Sequence[bool]) -> float:
    """The share that passed if the task is left after the first that does: 1 / its number."""
    return 1.0 / (passed.index(True) + 1) if any(passed) else 0.0


PROTOCOLS: dict[str, Callable[[Sequence[bool]], float]] = {
    "all attempts": mean_rate,
    "first attempt": first_attempt_rate,
    "until the first pass": rate_to_first_pass,
}
"""How the rate of a task follows from its attempts. The paper describes the first; Pig Shooter's was the last."""
USUAL = "all attempts"


@dataclass(frozen=True)
class PhyQResult(Result):
    """Pass rates and the Phy-Q score of a run."""

    spec: PhyQRunSpec
    passed: dict[str, list[bool]]
    """Of each finished task, which attempts passed."""

    @property
    def setting(self) -> str:
        return self.spec.setting

    def task_rates(self, protocol: str = USUAL) -> dict[str, float]:
        """By task."""
        return {task_id: PROTOCOLS[protocol](passed) for task_id, passed in self.passed.items() if passed}

    def template_rates(self, protocol: str = USUAL) -> dict[str, float]:
        """By template: the mean over its tasks."""
        return metrics.by_template(self.task_rates(protocol))

    def scenario_rates(self, protocol: str = USUAL) -> dict[int, float]:
        """By scenario: the mean over its templates."""
        return metrics.by_scenario(self.template_rates(protocol))

    @cached_property
    def mean(self) -> float:
        """The mean over scenarios (broad), or over templates; no number where nothing is finished."""
        rates = self.scenario_rates() if self.setting == "broad" else self.template_rates()
        return sum(rates.values()) / len(rates) if rates else nan

    @property
    def phy_q(self) -> float | None:
        """The score, where all scored scenarios were attempted in the broad setting."""
        rates = self.scenario_rates()
        if self.setting != "broad" or not set(metrics.SCORED_SCENARIOS) <= rates.keys():
            return None
        return metrics.phy_q(rates)

    @property
    def summary(self) -> str:
        score = "" if self.phy_q is None else f", Phy-Q {self.phy_q:.1f}"
        over = "scenarios" if self.setting == "broad" else "templates"
        return f"passed {100.0 * self.mean:.1f} % of attempts, mean over {over}{score}"


def result_of(log: Log) -> PhyQResult:
    """The result of a run, as far as it is finished."""
    spec = spec_of(log, PhyQRunSpec)
    passed = {task_id: [row["status"] == WON for row in rows] for task_id, rows in log.tasks.items()}
    return PhyQResult(log.path, log.header, log.finished, len(log.tasks), spec, passed)
