"""Phy-Q's report: the paper's figures 4, 5 and 24 made from run logs, with published results."""

from collections.abc import Iterable

from tumble.phyq.evaluation.result import result_of
from tumble.phyq.report import animations, levels, people, scores, training
from tumble.phyq.report.groups import INCIDENTAL, Group, group_results
from tumble.report.document import Document
from tumble.report.sections import add_sections
from tumble.runs.log import Log

INTRODUCTION = (
    "In a Phy-Q task an agent shoots birds with a slingshot so that all pigs die. There are 15 scenarios, each with a "
    "physical rule that solves its tasks, and 75 templates of tasks. The pass rate of a task is the share of attempts "
    "that pass; it is averaged over a template's tasks, then over a scenario's templates. The Phy-Q score compares the "
    "rates in scenarios 3 to 15 with those of humans, who have 100; random shots have 0."
)


def add_report(document: Document, logs: Iterable[Log], max_animated: int) -> None:
    """Adds the report of run logs, with animations for at most a number of scenarios."""
    results = [result_of(log) for log in logs]
    groups = group_results(result for result in results if not result.spec.trains_differently)
    add_sections(document, INTRODUCTION, results, groups, _add_figures, max_animated, incidental=INCIDENTAL)
    people.add_local_and_broad(document, groups)
    training.add_training(document, results)


def _add_figures(document: Document, group: Group, max_animated: int) -> int:
    if group.conditions.setting == "levels":
        levels.add_levels(document, group)
        return animations.add_animations(document, group, max_animated)
    scores.add_scenarios(document, group)
    scores.add_phy_q(document, group)
    people.add_own_people(document, group)
    people.add_attempts(document, group)
    scores.add_protocols(document, group)
    scores.add_templates(document, group)
    return animations.add_animations(document, group, max_animated)
