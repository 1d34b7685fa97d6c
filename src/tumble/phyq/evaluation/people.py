"""Own human figures: pass rates of the participants of studies, computed as the published ones were."""

from collections.abc import Mapping, Sequence

import numpy as np

from tumble.errors import TumbleError
from tumble.phyq.evaluation.metrics import SCORED_SCENARIOS, by_scenario, by_template, people_rate
from tumble.phyq.evaluation.result import PhyQResult
from tumble.runs.people import PEOPLE

LEAST_PEOPLE = 2

Figures = Mapping[int, tuple[float, float]]
"""By scenario: the mean pass rate of people and its standard deviation over them, as in `published_results.HUMAN`."""


def people_of(results: Sequence[PhyQResult]) -> list[PhyQResult]:
    """Finished runs of people."""
    return [result for result in results if result.spec.agent == PEOPLE and result.finished]


def people_figures(results: Sequence[PhyQResult]) -> Figures:
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
