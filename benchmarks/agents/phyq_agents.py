"""Pass rates and Phy-Q scores of our agents on Phy-Q's test tasks, beside the published ones.

    python benchmarks/agents/phyq_agents.py [--setting local] [--limit 5] [--runs FOLDER] [--device cuda]
    python benchmarks/agents/phyq_agents.py --agent shot-ranker --agent simulation [--limit 10]

The agent `random` has 50 attempts at each task, the others have five. --limit takes the first tasks of each template.
Broad figures are given under each protocol, that is, way to count attempts, beside the published score of the same
protocol, with the share of passes that follow the template's rule. By default the agents run that follow rules; --agent
names some, also others, and the rows of the rest stay as they are.
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from evaluated import results_of
from table import Results

from tumble.phyq.benchmark import PHYQ
from tumble.phyq.catalogue.templates import SCENARIOS
from tumble.phyq.evaluation import published_results as paper
from tumble.phyq.evaluation.metrics import DEFAULT_PROTOCOL, PROTOCOLS, published_broad
from tumble.phyq.evaluation.replay import rule_share
from tumble.phyq.evaluation.result import PhyQResult
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.report.scores import PUBLISHED
from tumble.phyq.simulation import simulator

ATTEMPTS = {"random": 50}
USUAL_ATTEMPTS = 5
RANDOM_MARGIN = 5.0
"""Points by which the random agent's mean may differ from the published one."""
SHOOTER_MUST = {"until the first pass": (0.872917, 0.888333), "first attempt": (0.775, 0.875)}
"""Pig Shooter's published rates in scenarios 1 and 2, by protocol."""
LOCAL_MEANS = {"Bambirds": 0.1536, "Datalab": 0.1481, "Eagle's Wing": 0.1367, "Pig Shooter": 0.1051}


def percent(rate: float) -> str:
    return f"{100.0 * rate:.1f}"


def add_broad(results: Results, agent: str, result: PhyQResult) -> None:
    """Score and mean under each protocol, passes that follow the rule, and scenarios as the published rates count."""
    name = PUBLISHED.get(agent, "")
    scores = paper.PHY_Q_BY_PROTOCOL.get(name, {})
    as_published = next((one for one in scores if scores[one] == paper.PHY_Q[name]), DEFAULT_PROTOCOL)
    rates = {number: f"published {percent(rate)}" for number, rate in published_broad(name).items()} if name else {}
    mean = sum(published_broad(name).values()) / len(rates) if name else 0.0
    for protocol in PROTOCOLS:
        score = result.phy_q_relative_to(paper.HUMAN, protocol)
        notes = [f"published {scores[protocol]:.2f}"] if protocol in scores else []
        notes += ["people 100"] if protocol == "as people" else []
        notes += [f"{result.spec.attempts} attempts at each of {len(result.passed)} tasks"]
        results.add(f"{agent}, {protocol}, Phy-Q", "-" if score is None else f"{score:.2f}", note="; ".join(notes))
        is_published = bool(name) and protocol == as_published
        must = f"{percent(mean)} +- {RANDOM_MARGIN:g}" if agent == "random" and is_published else ""
        note = f"published {percent(mean)}" if is_published else ""
        results.add(f"{agent}, {protocol}, mean of scenarios, %", percent(result.mean_under(protocol)), must, note=note)
    share = rule_share(result)
    passes = sum(map(len, result.wins.values()))
    value = "-" if share is None else percent(share)
    results.add(f"{agent}, passes that follow their rule, %", value, note=f"of {passes} passes")
    for number, rate in result.scenario_rates(as_published).items():
        figure = f"{agent}, {as_published}, {number} {SCENARIOS[number]}, %"
        results.add(figure, percent(rate), note=rates.get(number, ""))
    if agent == "pig_shooter":
        for protocol, musts in SHOOTER_MUST.items():
            for number, must_rate in zip((1, 2), musts, strict=True):
                own = result.scenario_rates(protocol)[number]
                results.add(f"{agent}, scenario {number}, {protocol}, %", percent(own), f">= {percent(must_rate)}")


def add_local(results: Results, agent: str, result: PhyQResult) -> None:
    name = PUBLISHED.get(agent, "")
    known = f"published {percent(LOCAL_MEANS[name])}" if name in LOCAL_MEANS else ""
    results.add(f"{agent}, local, mean of templates, %", percent(result.mean), "", "", known)
    for key, rate in result.template_rates().items():
        note = ""
        if name in paper.LOCAL_AGENTS:
            note = f"published {percent(paper.LOCAL[key][paper.LOCAL_AGENTS.index(name)])}"
        results.add(f"{agent}, {key}, %", percent(rate), "", "", note)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--setting", choices=("broad", "local"), default="broad")
    parser.add_argument("--limit", type=int, help="only the first tasks of each template, this many")
    parser.add_argument("--runs", type=Path, help="folder for the run logs; by default they are not kept")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--agent", action="append", default=[], help="by default those that follow rules")
    given = parser.parse_args()
    results = Results(f"Agents on Phy-Q, {given.setting}, {simulator.physics_id()}")
    agents = given.agent or list(PUBLISHED)
    specs = [
        PhyQRunSpec(
            agent, given.setting, limit=given.limit, attempts=ATTEMPTS.get(agent, USUAL_ATTEMPTS), device=given.device
        )
        for agent in agents
    ]
    with tempfile.TemporaryDirectory() as temporary:
        folder = (given.runs or Path(temporary)).resolve()
        found = results_of(PHYQ, specs, folder, "Tasks", given.device)
    for agent, result in zip(agents, found, strict=True):
        (add_broad if given.setting == "broad" else add_local)(results, agent, result)
    name = "phyq-agents" if given.setting == "broad" else "phyq-agents-local"
    results.keep_others(name)
    results.finish(name)


if __name__ == "__main__":
    main()
