"""Composes Phy-Q's part of a report, with curves of what agents had trained on."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tumble.output import plural
from tumble.phyq.catalogue.level_files import is_level_id
from tumble.phyq.catalogue.templates import SCENARIOS
from tumble.phyq.evaluation.replay import has_unchanged_tasks
from tumble.phyq.evaluation.result import PhyQResult, result_of
from tumble.phyq.observation.animation import animated_svg
from tumble.phyq.report import people, scores
from tumble.phyq.report.groups import COLOURS, INCIDENTAL, Group, group_results
from tumble.phyq.report.scores import add_levels
from tumble.phyq.simulation import episode_views, simulator
from tumble.phyq.simulation.attempt import WON, shots_of
from tumble.phyq.simulation.episodes import Episodes
from tumble.report import Document, Picture
from tumble.report.document import Cell, number_cell
from tumble.report.figures import Line, Style, heat_map, lines
from tumble.report.grouping import OTHER_COLOURS, Variant, add_sections, differing_settings, variant_of
from tumble.report.page import svg_uri
from tumble.runs.log import Log, Row, read

TRANSFER_TEXT = (
    "Each row is an agent that trained on the training templates of one scenario only; columns are the test templates "
    "of all scenarios. The diagonal is broad generalisation within the scenario; the other cells are transfer "
    "from another scenario."
)
CURVES = {"train_templates": "training templates of each scenario", "train_tasks": "training tasks of each template"}
"""Fields of run specifications by which learning curves are drawn, and the labels of their axes."""
NOT_A_VARIANT = (*INCIDENTAL, "train_on")


def add_training(document: Document, results: Iterable[PhyQResult]) -> None:
    """Adds transfer matrices and learning curves, where there are runs that trained on other or fewer tasks."""
    finished = [result for result in results if result.finished]
    _add_transfer(document, [result for result in finished if result.spec.train_on])
    learners = {result.agent for result in finished if result.spec.trains_differently}
    own = [result for result in finished if result.agent in learners and result.setting in ("broad", "local")]
    for field, axis in CURVES.items():
        _add_curves(document, [result for result in own if not result.spec.train_on], field, axis)


def _by_variant(results: Sequence[PhyQResult]) -> dict[str, list[PhyQResult]]:
    """Runs by the label of their agent."""
    variants: dict[Variant, list[PhyQResult]] = {}
    for result in results:
        variants.setdefault(variant_of(result.agent, result.header, NOT_A_VARIANT), []).append(result)
    alike = {own: [other for other in variants if other.agent == own.agent] for own in variants}
    return {", ".join([own.agent, *differing_settings(own, alike[own])]): runs for own, runs in variants.items()}


def transfer_matrix(results: Sequence[PhyQResult]) -> np.ndarray:
    """Pass rates in per cent [scenario trained on, scenario tested], the mean over runs; NaN where there is none."""
    sums, counts = np.zeros((len(SCENARIOS), len(SCENARIOS))), np.zeros((len(SCENARIOS), len(SCENARIOS)))
    for result in results:
        for number, rate in result.scenario_rates().items():
            sums[int(result.spec.train_on) - 1, number - 1] += 100.0 * rate
            counts[int(result.spec.train_on) - 1, number - 1] += 1
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _add_transfer(document: Document, results: Sequence[PhyQResult]) -> None:
    if not results:
        return
    document.heading("Transfer between scenarios")
    document.text(TRANSFER_TEXT)
    rows: list[list[str | Cell]] = []
    for label, runs in _by_variant(results).items():
        given = runs[0].agent_was_given
        matrix = transfer_matrix(runs)
        trained = np.flatnonzero(~np.isnan(matrix).all(axis=1)).tolist()
        own = np.eye(len(matrix), dtype=bool)
        names = [f"{k + 1} {SCENARIOS[k + 1]}" for k in trained]
        figure = heat_map(matrix[trained], names, [str(number) for number in SCENARIOS], "passed, %")
        document.figure(
            figure, f"Transfer of {label} between scenarios: passed in each (columns) after training on one (rows)."
        )
        for k, name in zip(trained, names, strict=True):
            others = matrix[k, ~own[k]]
            mean = float(np.nanmean(others)) if not np.isnan(others).all() else None
            best = int(np.nanargmax(np.where(own[k], -1.0, matrix[k]))) + 1
            rate = None if np.isnan(matrix[k, k]) else float(matrix[k, k])
            rows.append([label, given, name, number_cell(rate), number_cell(mean), str(best)])
    header = ["agent", "given", "trained on", "in this scenario", "mean of the others", "most in"]
    document.table("Passed after training on one scenario, %", header, rows)


def _add_curves(document: Document, results: Sequence[PhyQResult], field: str, axis: str) -> None:
    """Adds a figure of the mean pass rate by the size of the training set, for agents with several sizes."""
    found = [
        (label, conditions, _rates_by_size(alike, field), alike[0])
        for label, runs in _by_variant(results).items()
        for conditions, alike in _by_conditions(runs, field).items()
    ]
    if not found:
        return
    all_sizes = sorted({size for _, _, rates, _ in found for size in rates})
    panels: dict[str, list[Line]] = {}
    rows: list[list[str | Cell]] = []
    for number, (label, conditions, rates, first) in enumerate(found):
        means = [float(np.mean(own)) for own in rates.values()]
        band = [min(own) for own in rates.values()], [max(own) for own in rates.values()]
        style = Style(COLOURS.get(first.agent, OTHER_COLOURS[number % len(OTHER_COLOURS)]))
        places = [all_sizes.index(size) for size in rates]
        panels.setdefault(conditions, []).append(Line(label, style, places, means, band))
        named = [label, first.agent_was_given, conditions]
        rows += [[*named, str(size), number_cell(mean)] for size, mean in zip(rates, means, strict=True)]
    document.heading(f"Learning curves over {axis}")
    figure = lines(panels, axis, "passed, %", [f"{size:,}" for size in all_sizes])
    document.figure(figure, "Mean pass rate; bars from the lowest to the highest seed.")
    document.table(f"Passed by the number of {axis}, %", ["agent", "given", "setting", axis, "mean"], rows)


def _rates_by_size(results: Sequence[PhyQResult], field: str) -> dict[int, list[float]]:
    """Mean pass rates of runs in per cent, by the size of their training set."""
    rates: dict[int, list[float]] = {}
    for size, result in sorted(((_size(result, field), result) for result in results), key=lambda pair: pair[0]):
        rates.setdefault(size, []).append(100.0 * result.mean)
    return rates


def _by_conditions(results: Sequence[PhyQResult], field: str) -> dict[str, list[PhyQResult]]:
    """Runs by all that must be equal but for one field, by a name of it; only where there are several sizes."""
    found: dict[str, list[PhyQResult]] = {}
    for result in results:
        changes: dict[str, Any] = {field: None, "seed": 0, "device": "cpu", "settings": {}}
        found.setdefault(repr(replace(result.spec, **changes)), []).append(result)
    several = [runs for runs in found.values() if len({_size(run, field) for run in runs}) > 1]
    names = [runs[0].setting for runs in several]
    return {
        name if names.count(name) == 1 else f"{name} {number}": runs
        for number, (name, runs) in enumerate(zip(names, several, strict=True), start=1)
    }


def _size(result: PhyQResult, field: str) -> int:
    """The largest number of training templates of a scenario, or of training tasks of a template, that a run used."""
    train = [part.train for part in result.spec.parts()]
    templates = [[task_id.partition(":")[0] for task_id in own] for own in train]
    if field == "train_templates":
        return max(len(set(own)) for own in templates)
    return max(own.count(key) for own in templates for key in set(own))


STRIDE = 8
MAX_SECONDS = 45.0
COLUMNS = 3
MAX_COMPARED = 10
"""Failed attempts of each scenario of which the one that left the fewest pigs is shown."""


def add_animations(document: Document, group: Group, max_scenarios: int) -> int:
    """Adds a passed and a failed episode of each of some scenarios, by the agent with the highest pass rate.

    Returns the number of scenarios.
    """
    if not group.finished or group.conditions.physics != simulator.physics_id() or max_scenarios < 1:
        return 0
    best = max(group.finished, key=lambda series: series.mean)
    run = best.results[0]
    if not has_unchanged_tasks(run):
        document.text("The tasks have changed since the run, or their files are gone: no episodes are shown.")
        return 0
    selected = _select_rows(run, max_scenarios)
    if not selected:
        return 0
    group_name = "level" if run.setting == "levels" else "scenario"
    document.heading("Episodes", 3)
    document.text(
        f"{best.label}: for each {group_name} an attempt that passed, and of the first {MAX_COMPARED} that failed the "
        "one that left the fewest pigs; replayed from the log. The bar at the lower edge shows how much of the time "
        "has passed. The goal is always that all pigs die."
    )
    document.pictures(_pictures(run, selected), COLUMNS)
    return len({_scenario(row) for row in selected})


def _scenario(row: Row) -> int | str:
    """The scenario of a task; the id of a level."""
    task_id = str(row["task"])
    return task_id if is_level_id(task_id) else int(task_id.partition(".")[0])


def _select_rows(result: PhyQResult, max_scenarios: int) -> list[Row]:
    """By scenario: the first passed attempt, and the best of the first failed ones."""
    passed: dict[int | str, Row] = {}
    failed: dict[int | str, list[Row]] = {}
    for row in read(result.path).rows():
        if row["action"] and row["status"] == WON:
            passed.setdefault(_scenario(row), row)
        elif row["action"] and len(failed.setdefault(_scenario(row), [])) < MAX_COMPARED:
            failed[_scenario(row)].append(row)
    scenarios = sorted(passed.keys() | failed.keys(), key=lambda one: (str(type(one)), one))[:max_scenarios]
    compared = [row for scenario in scenarios for row in failed.get(scenario, [])]
    if compared:
        left = _played(result, compared).pigs_left
        order = sorted(range(len(compared)), key=lambda k: int(left[k]))
        best = {_scenario(compared[k]): compared[k] for k in reversed(order)}
    else:
        best = {}
    found = (rows.get(scenario) for scenario in scenarios for rows in (passed, best))
    return [row for row in found if row is not None]


def _played(result: PhyQResult, rows: list[Row], want: tuple[str, ...] = ()) -> Episodes:
    levels = [result.spec.task(row["task"]).level for row in rows]
    return simulator.play(levels, [shots_of(row["action"]) for row in rows], want=want, stride=STRIDE)


def _shortened(motion: episode_views.Motion) -> episode_views.Motion:
    kept = motion.seconds <= MAX_SECONDS
    return replace(motion, seconds=motion.seconds[kept], poses=motion.poses[kept])


def _pictures(result: PhyQResult, rows: list[Row]) -> list[Picture]:
    played = _played(result, rows, ("trajectory",))
    pictures = []
    for number, row in enumerate(rows):
        motion = episode_views.motion(played, number)
        pictures.append(Picture(svg_uri(animated_svg(_shortened(motion))), _caption(row, played, number)))
    return pictures


def _caption(row: Row, played: Episodes, number: int) -> str:
    pigs = int(played.pigs_left[number])
    left = f", {plural(pigs, 'pig')} left" if row["status"] != WON else ""
    outcome = "passed" if row["status"] == WON else "failed"
    seconds = f"after {played.seconds[number]:.1f} s and {plural(int(played.shots_used[number]), 'shot')}"
    scenario = _scenario(row)
    name = f" {SCENARIOS[scenario]}" if isinstance(scenario, int) else ""
    return f"{row['task']}{name}, attempt {row['attempt']}: {outcome} {seconds}{left}."


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
    add_training(document, results)


def _add_figures(document: Document, group: Group, max_animated: int) -> int:
    if group.conditions.setting == "levels":
        add_levels(document, group)
        return add_animations(document, group, max_animated)
    scores.add_scenarios(document, group)
    scores.add_phy_q(document, group)
    people.add_own_people(document, group)
    people.add_attempts(document, group)
    scores.add_protocols(document, group)
    scores.add_templates(document, group)
    return add_animations(document, group, max_animated)
