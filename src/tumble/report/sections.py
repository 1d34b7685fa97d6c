"""The sections that the reports of all benchmarks have: introduction, a section for each group, settings."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from tumble.report.document import Document
from tumble.report.grouping import Group
from tumble.report.variants import settings_summary
from tumble.runs.result import Result

Columns = Mapping[str, Callable[[Any], str]]
"""Columns of a table of runs by their heading, after the agent's."""


def add_sections(
    document: Document,
    introduction: str,
    results: Sequence[Result],
    groups: Sequence[Group[Any, Any]],
    add_figures: Callable[[Document, Any, int], int],
    animations: int = 0,
    run_columns: Columns | None = None,
    incidental: Collection[str] = (),
) -> None:
    """Adds a report of groups of runs.

    `add_figures` adds the benchmark's tables and figures for a group with finished runs, with at most a number of
    animations, and gives the number it used.
    """
    document.text(introduction)
    document.text(_extent(results, groups))
    for group in groups:
        document.heading(group.conditions.title)
        document.text(group.conditions.description)
        _add_unfinished(document, group, run_columns or {})
        if group.finished:
            animations -= add_figures(document, group, animations)
        _add_settings(document, group, incidental)


def _extent(results: Sequence[Result], groups: Sequence[Group[Any, Any]]) -> str:
    """From which runs a report is made."""
    unfinished = sum(not result.finished for result in results)
    text = f"Made from {len(results)} run{'s' * (len(results) != 1)}"
    text += f", {unfinished} of them unfinished and in no mean." if unfinished else "."
    if len(groups) > 1:
        text += (
            f" They were made under {len(groups)} different conditions (tasks, attempts allowed, physics), which are "
            "not mixed: each has its own section."
        )
    return text


def _add_unfinished(document: Document, group: Group[Any, Any], columns: Columns) -> None:
    rows = [
        [one.label, *(text_of(run) for text_of in columns.values()), run.tasks, run.path.name]
        for one in group.series
        for run in one.unfinished
    ]
    if rows:
        document.table("Unfinished runs", ["agent", *columns, "tasks finished", "file"], rows)


def _add_settings(document: Document, group: Group[Any, Any], incidental: Collection[str]) -> None:
    """With which settings all agents ran, and in how many runs."""
    document.heading("Settings", 3)
    for one in group.series:
        summary = settings_summary(one.variant, [run.header for run in one.runs], incidental)
        document.text(f"{one.label}: {summary}")
