"""Success by template."""

from collections.abc import Sequence

from tumble.phyre.evaluation.result import success_limits
from tumble.phyre.report.groups import Group, Series
from tumble.phyre.report.scores import setting_name
from tumble.phyre.tasks.splits import template_of
from tumble.phyre.tasks.templates import NAMES
from tumble.report import Document
from tumble.report.cells import Cell
from tumble.report.grouping import given_note

MAX_COLUMNS = 7


def add_table(document: Document, group: Group) -> None:
    """Adds the share of each template's tasks that agents solve, over all folds that test it."""
    document.heading("Templates", 3)
    for setting in group.settings:
        columns = group.main_series(setting, MAX_COLUMNS)
        solved_at = [_solved_at(series, setting) for series in columns]
        templates = sorted({template for by_template in solved_at for template in by_template})
        limits = success_limits(group.conditions.attempts)
        rows: list[list[str | Cell]] = [
            [template_label(template), *(success_cell(by_template.get(template), limits) for by_template in solved_at)]
            for template in templates
        ]
        within = " and ".join(map(str, limits))
        caption = f"Tasks solved within {within} attempts, %, {setting_name(setting)}"
        document.table(caption, ["template", *(series.label for series in columns)], rows)
        document.text(given_note(columns))


def _solved_at(series: Series, setting: str) -> dict[str, list[int | None]]:
    """By template: the attempts at which its tasks were solved."""
    by_template: dict[str, list[int | None]] = {}
    for result in series.results:
        for task_id, attempt in result.solved_at.items() if result.setting == setting else ():
            by_template.setdefault(template_of(task_id), []).append(attempt)
    return by_template


def success_cell(solved_at: Sequence[int | None] | None, limits: Sequence[int]) -> Cell:
    """The percentages of tasks solved within numbers of attempts, as in: 25 / 50."""
    if not solved_at:
        return Cell("")
    solved = {limit: sum(at is not None and at <= limit for at in solved_at) for limit in limits}
    shares = {f"within {limit}": 100.0 * count / len(solved_at) for limit, count in solved.items()}
    return Cell(" / ".join(f"{share:.0f}" for share in shares.values()), shares)


def template_label(template: str) -> str:
    """The id of a template, and its name if it is a published one."""
    return f"{template} {NAMES.get(template, '')}".strip()
