"""Pass rates and Phy-Q scores of our agents on Phy-Q's test tasks, beside the published ones.

    python benchmarks/agents/phyq_agents.py [--setting local] [--limit 5] [--runs FOLDER] [--device cuda]
    python benchmarks/agents/phyq_agents.py --agents shot-ranker simulation [--seeds 0 1 2] [--limit 10]
    python benchmarks/agents/phyq_agents.py --agents shot-ranker --data shots.npz --minutes 8 --seeds 0 1 2

The agent `random` has 50 attempts at each task, the others have five. --limit takes the first tasks of each template.
Broad figures are given under each protocol, that is, way to count attempts, beside the published score of the same
protocol, with the share of passes that follow the template's rule; of several seeds with their interval. Rows of agents
that are not named stay as they are. With --data the shot ranker is trained first, once for each seed, into --folder.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from evaluated import results_of
from table import Results, arguments

from tumble.learning.harness import Budget
from tumble.learning.networks import torch_device
from tumble.phyq.benchmark import PHYQ
from tumble.phyq.catalogue.templates import SCENARIOS
from tumble.phyq.evaluation import published_results as paper
from tumble.phyq.evaluation.metrics import DEFAULT_PROTOCOL, PROTOCOLS, phy_q, published_broad
from tumble.phyq.evaluation.replay import rule_share
from tumble.phyq.evaluation.result import PhyQResult
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.models.ranker.training import train_ranker
from tumble.phyq.report.groups import phy_q_samples, scenario_samples, template_samples
from tumble.phyq.report.scores import PUBLISHED
from tumble.phyq.simulation import simulator
from tumble.report.estimates import interval_of

RANKER = "shot-ranker"
ATTEMPTS = {"random": 50}
USUAL_ATTEMPTS = 5
MUST = {
    ("pig_shooter", "until the first pass", 1): ">= 87.3",
    ("pig_shooter", "until the first pass", 2): ">= 88.8",
    ("pig_shooter", "first attempt", 1): ">= 77.5",
    ("pig_shooter", "first attempt", 2): ">= 87.5",
}
"""By agent, protocol and scenario."""
LOCAL_MEANS = {"Bambirds": 0.1536, "Datalab": 0.1481, "Eagle's Wing": 0.1367, "Pig Shooter": 0.1051}


def percent(rate: float) -> str:
    return f"{100.0 * rate:.1f}"


def add_broad(results: Results, agent: str, result: PhyQResult) -> None:
    """Score and mean under each protocol, passes that follow the rule, and scenarios as the published rates count."""
    name = PUBLISHED.get(agent, "")
    scores = paper.PHY_Q_BY_PROTOCOL.get(name, {})
    as_published = next((one for one in scores if scores[one] == paper.PHY_Q[name]), DEFAULT_PROTOCOL)
    rates = published_broad(name) if name else {}
    for protocol in PROTOCOLS:
        score = result.phy_q_relative_to(paper.HUMAN, protocol)
        notes = [f"published {scores[protocol]:.2f}"] if protocol in scores else []
        notes += ["people 100"] if protocol == "as people" else []
        notes += [f"{result.spec.attempts} attempts at each of {len(result.passed)} tasks"]
        results.add(f"{agent}, {protocol}, Phy-Q", "-" if score is None else f"{score:.2f}", note="; ".join(notes))
        mean = f"published {percent(sum(rates.values()) / len(rates))}" if name and protocol == as_published else ""
        results.add(f"{agent}, {protocol}, mean of scenarios, %", percent(result.mean_under(protocol)), note=mean)
    share, passes = rule_share(result), sum(map(len, result.wins.values()))
    value = "-" if share is None else percent(share)
    results.add(f"{agent}, passes that follow their rule, %", value, note=f"of {passes} passes")
    for number, rate in result.scenario_rates(as_published).items():
        note = f"published {percent(rates[number])}" if number in rates else ""
        results.add(f"{agent}, {as_published}, {number} {SCENARIOS[number]}, %", percent(rate), note=note)
    for (name, protocol, number), must in MUST.items():
        if name == agent:
            own = percent(result.scenario_rates(protocol)[number])
            results.add(f"{agent}, scenario {number}, {protocol}, %", own, must)


def add_local(results: Results, agent: str, result: PhyQResult) -> None:
    name = PUBLISHED.get(agent, "")
    known = f"published {percent(LOCAL_MEANS[name])}" if name in LOCAL_MEANS else ""
    results.add(f"{agent}, local, mean of templates, %", percent(result.mean), note=known)
    for key, rate in result.template_rates().items():
        there = paper.LOCAL[key][paper.LOCAL_AGENTS.index(name)] if name in paper.LOCAL_AGENTS else None
        results.add(f"{agent}, {key}, %", percent(rate), note="" if there is None else f"published {percent(there)}")


def add_seeds(results: Results, agent: str, found: Sequence[PhyQResult]) -> None:
    """The score of several seeds, with its interval over tasks."""
    drawn = phy_q_samples(scenario_samples(template_samples([result.task_rates() for result in found])))
    rates = {number: np.mean([one.scenario_rates()[number] for one in found]) for number in found[0].scenario_rates()}
    if drawn is not None:
        low, high = interval_of(drawn)
        each = ", ".join(f"{phy_q(result.scenario_rates()):.1f}" for result in found)
        results.add(f"{agent}, {len(found)} seeds, Phy-Q", f"{phy_q(rates):.1f} [{low:.1f}, {high:.1f}]", note=each)


def main() -> None:
    given = arguments(
        __doc__,
        setting="broad",
        agents=tuple(PUBLISHED),
        seeds=(0,),
        limit=int,
        runs=Path("phyq-runs"),
        device="cpu",
        checkpoint="",
        data=Path,
        minutes=8.0,
        folder=Path("trained"),
    )
    results = Results(f"Agents on Phy-Q, {given.setting}, {simulator.physics_id()}")
    specs = []
    for agent in given.agents:
        for seed in given.seeds:
            weights = {"checkpoint": str(Path(given.checkpoint).resolve())} if given.checkpoint else {}
            if agent == RANKER and given.data:
                path, budget = given.folder.resolve() / f"{agent}-{seed}.pt", Budget(minutes=given.minutes)
                weights = {"checkpoint": str(train_ranker(given.data, path, budget, torch_device(given.device), seed))}
            settings = {**weights, "device": given.device} if agent == RANKER else {}
            attempts = ATTEMPTS.get(agent, USUAL_ATTEMPTS)
            place = {"limit": given.limit, "device": given.device, "seed": seed, "settings": settings}
            specs.append(PhyQRunSpec(agent, given.setting, attempts=attempts, **place))
    found = iter(results_of(PHYQ, specs, given.runs.resolve(), "Tasks", given.device))
    for agent in given.agents:
        runs = [next(found) for _ in given.seeds]
        (add_broad if given.setting == "broad" else add_local)(results, agent, runs[0])
        if len(runs) > 1:
            add_seeds(results, agent, runs)
    name = "phyq-agents" if given.setting == "broad" else "phyq-agents-local"
    results.keep_others(name)
    results.finish(name)


if __name__ == "__main__":
    main()
