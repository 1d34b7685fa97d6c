"""Attempts and time to think on Phy-Q's test tasks: agents beside people.

    python benchmarks/phyq_thinking.py [--agents shot-ranker,simulation,…] [--limit 2] [--set NAME=VALUE …]

Time to think is the time that an agent takes for all its shots at a task, until it passes or has failed five times;
training is not counted. People's are published (seconds before their shots). --limit takes the first tasks of each
template. One process, one task at a time.
"""

import argparse
import tempfile
from collections import defaultdict
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from table import Results

from tumble.cli.options import single_settings, split_list
from tumble.phyq import agents
from tumble.phyq.benchmark import PHYQ
from tumble.phyq.evaluation import published_results as paper
from tumble.phyq.evaluation.result import PhyQResult
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.report.people import MOST_ATTEMPTS, attempts_to_pass
from tumble.phyq.simulation.simulator import physics_id

AGENTS = "random,pig_shooter,datalab_style,eagles_wing_style,bambirds_style,shot-ranker,simulation"


def timed_run(agent: str, limit: int, settings: dict[str, Any], folder: Path) -> tuple[PhyQResult, dict[str, float]]:
    """The result of an agent, and the seconds by task of its proposals up to its first pass."""
    seconds: dict[str, float] = defaultdict(float)
    kind = agents.class_of(agent)
    propose = kind.propose

    def timed(self: Any, task: Any, past: Any, state: Any) -> Any:
        begin = perf_counter()
        answer = propose(self, task, past, state)
        if not any(attempt.won for attempt in past):
            seconds[task.id] += perf_counter() - begin
        return answer

    kind.propose = timed
    try:
        result = PHYQ.result(PHYQ.run(PhyQRunSpec(agent, limit=limit, settings=settings), folder))
    finally:
        kind.propose = propose
    assert isinstance(result, PhyQResult)
    return result, seconds


def by_scenario(seconds: dict[str, float]) -> dict[int, float]:
    """Mean seconds of a task, by scenario."""
    found: dict[int, list[float]] = {}
    for task_id, value in seconds.items():
        found.setdefault(int(task_id.partition(".")[0]), []).append(value)
    return {number: float(np.mean(values)) for number, values in sorted(found.items())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", default=AGENTS)
    parser.add_argument("--limit", type=int, default=2)
    parser.add_argument("--set", action="append", default=[], help="a setting of the agents, as in checkpoint=FILE")
    given = parser.parse_args()
    results = Results(f"Attempts and time to think on Phy-Q, broad, {physics_id()}")
    people = list(paper.HUMAN_ATTEMPTS.values())
    attempts, seconds = (float(np.mean([one[column] for one in people])) for column in (0, 1))
    note = "published: 19 people"
    results.add("people, attempts until the first pass", f"{attempts:.2f}", "", "", note)
    results.add("people, seconds of thought about a task", f"{seconds:.1f}", "", "", note)
    for agent in split_list(given.agents):
        known = agents.settings_of(agents.class_of(agent))
        settings = {name: value for name, value in single_settings(given.set).items() if name in known}
        with tempfile.TemporaryDirectory() as folder:
            result, spent = timed_run(agent, given.limit, settings, Path(folder))
        needed = float(np.mean(list(attempts_to_pass(result).values())))
        each = by_scenario(spent)
        slowest = max(each, key=lambda number: each[number])
        note = f"{len(result.passed)} tasks; {MOST_ATTEMPTS} where no attempt passed"
        results.add(f"{agent}, attempts until the first pass", f"{needed:.2f}", "", "", note)
        note = f"most in scenario {slowest}: {each[slowest]:.2f}"
        results.add(f"{agent}, seconds of thought about a task", f"{np.mean(list(each.values())):.3f}", "", "", note)
    results.finish("phyq-thinking")


if __name__ == "__main__":
    main()
