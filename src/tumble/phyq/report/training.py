"""What agents gain from training: transfer between scenarios, and learning curves over the training set's size."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tumble.phyq.catalogue.templates import SCENARIOS
from tumble.phyq.evaluation.result import PhyQResult
from tumble.phyq.report.groups import COLOURS, INCIDENTAL
from tumble.report import Document
from tumble.report.document import Cell, number_cell
from tumble.report.figures import Line, Style, heat_map, lines
from tumble.report.grouping import OTHER_COLOURS, Variant, differing_settings, variant_of

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
