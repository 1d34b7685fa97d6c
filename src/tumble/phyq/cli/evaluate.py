"""`tumble phyq evaluate` and `tumble phyq score`: agents attempt tasks; Phy-Q scores from pass rates."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import nan
from pathlib import Path
from typing import Any

from rich.table import Column

from tumble.bounded import BoundError, json_value, read_bytes
from tumble.cli.evaluate import evaluate_specs, exit_if_failed
from tumble.cli.logs import read_logs
from tumble.cli.options import agents_with_settings, parse_numbers, split_list
from tumble.engine import check_device
from tumble.errors import TumbleError
from tumble.output import console, print_line, reports_errors, table
from tumble.phyq.agents import REGISTRY
from tumble.phyq.benchmark import PHYQ
from tumble.phyq.catalogue.templates import SCENARIOS
from tumble.phyq.evaluation.metrics import (
    by_scenario,
    by_template,
    human_z,
    phy_q,
    points_per_deviation,
    published_broad,
)
from tumble.phyq.evaluation.published_results import BROAD, HUMAN, PAPER
from tumble.phyq.evaluation.result import HumanFigures, PhyQResult, people_figures, people_of, result_of
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.runs.header import agent_label
from tumble.scene.checks import shown


@reports_errors
def evaluate(
    agent: str,
    setting: str,
    only: str,
    runs: Path,
    limit: int | None,
    attempts: int,
    seed: str,
    settings: Sequence[str],
    device: str,
    workers: int | None,
    executor: str,
    levels: Sequence[Path] = (),
    train_on: str = "",
    train_templates: str = "",
    train_tasks: str = "",
) -> None:
    """Makes the runs of all combinations of agents, settings, seeds and values, and prints their results.

    With `levels`, folders and files of them are attempted instead of tasks; runs keep their absolute paths. Of what
    agents train on, all combinations are run too; empty for what the setting says.
    """
    check_device(device)
    only_ids = tuple(split_list(only)) if only else tuple(str(place.resolve()) for place in levels)
    trainings: list[dict[str, Any]] = [
        {"train_on": on, "train_templates": templates, "train_tasks": tasks}
        for on, templates, tasks in product(
            map(str, parse_numbers(train_on, "train-on")) if train_on else [""],
            parse_numbers(train_templates, "train-templates") if train_templates else [None],
            parse_numbers(train_tasks, "train-tasks") if train_tasks else [None],
        )
    ]
    specs = [
        PhyQRunSpec(
            name, one_setting, only_ids, attempts, device, settings=values, limit=limit, seed=one_seed, **training
        )
        for name, values in agents_with_settings(REGISTRY, agent, settings)
        for one_setting, one_seed in product(["levels"] if levels else split_list(setting), parse_numbers(seed, "seed"))
        for training in trainings
    ]
    results = evaluate_specs(PHYQ, specs, runs, workers, executor, device)
    _print_scenarios(results)
    exit_if_failed(results, len(specs))


def _print_scenarios(results: Sequence[Any]) -> None:
    """Prints pass rates by scenario, one column for each run."""
    if not any(result.scenario_rates() for result in results):
        return
    rows = table(Column("passed, %", no_wrap=True), *(_column(result.spec) for result in results))
    rates = [result.scenario_rates() for result in results]
    for number, name in SCENARIOS.items():
        if any(number in of_run for of_run in rates):
            cells = (f"{100.0 * of_run[number]:.1f}" if number in of_run else "-" for of_run in rates)
            rows.add_row(f"{number} {name}", *cells)
    console().print(rows)


def _column(spec: PhyQRunSpec) -> str:
    """The heading of a run's column."""
    return " ".join([agent_label(spec.agent, spec.settings), *map(str, spec.name_parts())])


KEY_PATTERNS = {"scenario": r"\d{1,2}", "template": r"\d{1,2}\.\d", "task": r"\d{1,2}\.\d:\d{1,9}(\.\d{1,4})?"}


@dataclass(frozen=True)
class Humans:
    """Whose pass rates have 100."""

    figures: HumanFigures = field(default_factory=lambda: HUMAN)
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
