"""`tumble phyq score`: Phy-Q scores from pass rates."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan
from pathlib import Path

from tumble.bounded import BoundError, json_value, read_bytes
from tumble.cli.logs import read_logs
from tumble.errors import TumbleError
from tumble.output import console, print_line, reports_errors, table
from tumble.phyq.benchmark import PHYQ
from tumble.phyq.evaluation.metrics import (
    by_scenario,
    by_template,
    human_z,
    phy_q,
    points_per_deviation,
    published_broad,
)
from tumble.phyq.evaluation.people import Figures, people_figures, people_of
from tumble.phyq.evaluation.published_results import BROAD, HUMAN, PAPER
from tumble.phyq.evaluation.result import PhyQResult, result_of
from tumble.phyq.tasks.templates import SCENARIOS
from tumble.scene.checks import shown

KEY_PATTERNS = {"scenario": r"\d{1,2}", "template": r"\d{1,2}\.\d", "task": r"\d{1,2}\.\d:\d{1,9}(\.\d{1,4})?"}


@dataclass(frozen=True)
class Humans:
    """Whose pass rates have 100."""

    figures: Figures = field(default_factory=lambda: HUMAN)
    words: str = "humans"


def _humans(people: Path | None) -> Humans:
    """The published figures, or those of the people of run logs."""
    if people is None:
        return Humans()
    found = people_of(_results(people))
    return Humans(people_figures(found), f"the {len(found)} people of {people}")


@reports_errors
def score_published(people: Path | None) -> None:
    """Prints the scores of the published agents, computed from their published pass rates."""
    humans = _humans(people)
    rows = table("agent", "mean of 15", "mean of 3-15", "Z", "Phy-Q")
    agents = {agent: published_broad(agent) for agent in ("Human", *BROAD)}
    for agent, rates in sorted(agents.items(), key=lambda pair: -human_z(pair[1], humans.figures)):
        scored = [rates[scenario] for scenario in SCENARIOS if scenario > 2]
        means = (sum(rates.values()) / len(rates), sum(scored) / len(scored))
        scores = f"{human_z(rates, humans.figures):.4f}", f"{phy_q(rates, humans=humans.figures):.2f}"
        rows.add_row(agent, *(f"{mean:.4f}" for mean in means), *scores)
    print_line(f"From the pass rates of {PAPER}, broad generalisation")
    console().print(rows)
    scale = points_per_deviation(humans=humans.figures)
    print_line(f"Scale: {scale:.3f} points per standard deviation of {humans.words}.")


@reports_errors
def score_file(path: Path, people: Path | None) -> None:
    """Prints the score of the pass rates in a file."""
    humans = _humans(people)
    rates = read_rates(path)
    rows = table("", "scenario", "pass rate", "humans", "Z")
    for scenario, rate in sorted(rates.items()):
        mean, deviation = humans.figures.get(scenario, (nan, nan))
        z = f"{(rate - mean) / deviation:.2f}" if scenario > 2 else ""
        rows.add_row(str(scenario), SCENARIOS[scenario], f"{rate:.4f}", f"{mean:.4f}", z)
    score = phy_q(rates, humans=humans.figures)
    console().print(rows)
    print_line(f"Phy-Q {score:.2f} ({humans.words} 100, random 0)")


@reports_errors
def score_logs(place: Path, people: Path | None) -> None:
    """Prints the scores of run logs."""
    humans = _humans(people)
    results = _results(place)
    if not results:
        raise TumbleError(f"no run logs of Phy-Q in {place}")
    rows = table("agent", "setting", "seed", "tasks", "passed, %", "Phy-Q")
    for result in results:
        score = result.phy_q_relative_to(humans.figures)
        text = "-" if score is None else f"{score:.2f}"
        seed, tasks = str(result.spec.seed), result.tasks
        rows.add_row(result.agent, result.setting, seed, tasks, f"{100.0 * result.mean:.1f}", text)
    console().print(rows)
    print_line(f"{humans.words[0].upper()}{humans.words[1:]} have 100, random shots 0.")
    print_line("A Phy-Q score needs the test tasks of scenarios 3 to 15 in the setting broad.")


def _results(place: Path) -> list[PhyQResult]:
    return [result_of(log) for benchmark, logs in read_logs([place]) if benchmark.name == PHYQ.name for log in logs]


def read_rates(path: Path) -> dict[int, float]:
    """Pass rates by scenario, from a file with rates by scenario, template or task."""
    try:
        document = json_value(read_bytes(path), finite=False)
    except BoundError as error:
        raise TumbleError(f"{path}: {error}") from None
    except ValueError:
        raise TumbleError(f"{path}: not JSON") from None
    try:
        return _rates(document)
    except TumbleError as error:
        raise TumbleError(f"{path}: {error}") from None


def _rates(document: object) -> dict[int, float]:
    if not isinstance(document, dict) or not document:
        raise TumbleError('expected pass rates by scenario, as in {"3": 0.25, "4": 0.1}')
    for key, rate in document.items():
        if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0.0 <= rate <= 1.0:
            raise TumbleError(f"{key}: a pass rate is a number from 0 to 1, not {shown(rate)}")
    patterns = KEY_PATTERNS.items()
    kind = next((kind for kind, form in patterns if all(re.fullmatch(form, key) for key in document)), None)
    rates = _by_scenario(kind, document)
    unknown = [number for number in rates if number not in SCENARIOS]
    if unknown:
        raise TumbleError(f"no scenario {unknown[0]}; there are 1 to {len(SCENARIOS)}")
    return rates


def _by_scenario(kind: str | None, rates: Mapping[str, float]) -> dict[int, float]:
    if kind == "scenario":
        return {int(key): rate for key, rate in rates.items()}
    if kind == "template":
        return by_scenario(rates)
    if kind == "task":
        return by_scenario(by_template(rates))
    raise TumbleError("all keys must be scenarios (3), or templates (3.1), or tasks (3.1:017)")
