"""The paper's scores are reproduced from the published pass rates, and rates are means of means."""

import json
from pathlib import Path

import pytest

from tumble.phyq.catalogue.templates import templates
from tumble.phyq.evaluation import metrics
from tumble.phyq.evaluation.published_results import BROAD, HUMAN, LOCAL, LOCAL_AGENTS, PHY_Q, SCALE


@pytest.mark.parametrize(
    ("agent", "score"),
    {
        "Human": 100.0,
        "Bambirds": 13.59,
        "Eagle's Wing": 12.11,
        "D-DDQN-Image": 8.76,
        "Relational-Symbolic": 8.40,
        "Datalab": 6.71,
        "Random": 0.0,
        "Pig Shooter": -1.60,
    }.items(),
)
def test_the_papers_scores_are_reproduced(agent: str, score: float) -> None:
    assert metrics.phy_q(metrics.published_broad(agent)) == pytest.approx(score, abs=0.006)


def test_scale() -> None:
    assert metrics.points_per_deviation() == pytest.approx(13.575, abs=5e-4)


def test_the_score_of_a_perfect_agent() -> None:
    assert metrics.phy_q(dict.fromkeys(range(1, 16), 1.0)) == pytest.approx(114.33, abs=0.005)


def test_local_means_over_templates() -> None:
    """15, 14 and 15 % in the paper for Bambirds, Eagle's Wing and Datalab."""
    assert list(LOCAL) == list(templates())
    means = [sum(rates) / 75 for rates in zip(*LOCAL.values(), strict=True)]
    assert dict(zip(LOCAL_AGENTS, means, strict=True)) == pytest.approx(
        {"Bambirds": 0.1536, "Eagle's Wing": 0.1367, "Datalab": 0.1481, "Pig Shooter": 0.1051}, abs=1e-4
    )


def test_rates_are_means_of_means() -> None:
    attempts = [("3.1:080", True), ("3.1:080", False), ("3.1:081", True), ("3.2:080", False)]
    tasks = metrics.pass_rates(attempts)
    assert tasks == {"3.1:080": 0.5, "3.1:081": 1.0, "3.2:080": 0.0}
    assert metrics.by_template(tasks) == {"3.1": 0.75, "3.2": 0.0}
    assert metrics.by_scenario({**metrics.by_template(tasks), "12.1": 0.3}) == {3: 0.375, 12: 0.3}


def test_a_score_needs_all_scored_scenarios() -> None:
    with pytest.raises(ValueError, match="missing: 14, 15"):
        metrics.phy_q(dict.fromkeys(range(3, 14), 0.5))


def test_unknown_agents_are_refused() -> None:
    with pytest.raises(ValueError, match="no published agent 'me'; there are Human, Pig Shooter"):
        metrics.published_broad("me")


def test_published_results_are_those_of_the_data(shared_data: Path) -> None:
    known = json.loads((shared_data / "phyq" / "published_results.json").read_text(encoding="utf-8"))
    assert {h["scenario"]: (h["mean_pass_rate"], h["std_population"]) for h in known["human"]} == HUMAN
    agents = {name.replace("Random Agent", "Random"): agent for name, agent in known["agents_broad"].items()}
    assert {name: list(rates) for name, rates in BROAD.items()} == {
        name: agent["pass_rate_by_scenario"] for name, agent in agents.items() if name != "Human"
    }
    assert {name: round(agent["phyq"], 2) for name, agent in agents.items()} == PHY_Q
    assert round(known["formula"]["scale"], 3) == SCALE
    rates = known["heuristic_pass_rate_by_template_tasks_81_100"]
    assert {key: tuple(rates[key][name] for name in LOCAL_AGENTS) for key in rates} == LOCAL
