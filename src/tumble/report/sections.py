"""The sections common to the reports of all benchmarks: introduction, a section for each group, settings."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from tumble.report.document import Document
from tumble.report.grouping import Group
from tumble.report.variants import settings_summary
from tumble.runs.result import Result, given_up_text

Columns = Mapping[str, Callable[[Any], str]]
"""Columns of a table of runs: heading, and how the cell follows from the result."""


def add_sections(
    document: Document,
    introduction: str,
    results: Sequence[Result],
    groups: Sequence[Group[Any, Any]],
    add_figures: Callable[[Document, Any, int], int],
    max_animated: int = 0,
    run_columns: Columns | None = None,
    incidental: Collection[str] = (),
) -> None:
    """Adds a report of groups of runs.

    `add_figures` adds the benchmark's tables and figures for a group with finished runs, with at most the remaining
    number of animations, and returns how many it used.
    """
    document.text(introduction)
    document.text(_describe_runs(results, groups))
    for group in groups:
        document.heading(group.conditions.title)
        document.text(group.conditions.description)
        _add_unfinished(document, group, run_columns or {})
        _add_given_up(document, group)
        if group.finished:
            max_animated -= add_figures(document, group, max_animated)
        _add_settings(document, group, incidental)


def _describe_runs(results: Sequence[Result], groups: Sequence[Group[Any, Any]]) -> str:
    """The number of runs in a report, of unfinished ones, and of groups."""
    unfinished = sum(not result.finished for result in results)
    text = f"Made from {len(results)} run{'s' * (len(results) != 1)}"
    text += f", {unfinished} of them unfinished and excluded from all means." if unfinished else "."
    if len(groups) > 1:
        text += (
            f" They were made under {len(groups)} different conditions (tasks, attempts allowed, physics), which can't "
            "be compared: each has its own section."
        )
    return text


def _add_unfinished(document: Document, group: Group[Any, Any], columns: Columns) -> None:
    rows = [
        [series.label, *(text_of(run) for text_of in columns.values()), run.tasks, run.path.name]
        for series in group.series
        for run in series.unfinished
    ]
    if rows:
        document.table("Unfinished runs", ["agent", *columns, "tasks finished", "file"], rows)


def _add_settings(document: Document, group: Group[Any, Any], incidental: Collection[str]) -> None:
    """Adds the settings of all agents and the number of their runs."""
    document.heading("Settings", 3)
    for series in group.series:
        summary = settings_summary(series.variant, [run.header for run in series.runs], incidental)
        document.text(f"{series.label}: {summary}")


def _add_given_up(document: Document, group: Group[Any, Any]) -> None:
    """Adds how many tasks each agent gave up, if any."""
    for series in group.series:
        reasons = [reason for run in series.runs for reason in run.given_up.values()]
        if reasons:
            tasks = sum(run.tasks_done for run in series.runs)
            document.text(f"{series.label}: {given_up_text(reasons, tasks)}.")
