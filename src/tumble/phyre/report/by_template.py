"""Success by template."""

from collections.abc import Sequence

from tumble.phyre.report.groups import Group, Series
from tumble.phyre.report.scores import setting_name
from tumble.phyre.tasks.splits import template_of
from tumble.phyre.tasks.templates import NAMES
from tumble.report import Document

MAX_COLUMNS = 7
FEW, MANY = 10, 100


def add_table(document: Document, group: Group) -> None:
    """Adds the share of each template's tasks that agents solve, over all folds that test it."""
    document.heading("Templates", 3)
    for setting in group.settings:
        columns = group.main_series(setting, MAX_COLUMNS)
        solved_at = [_solved_at(series, setting) for series in columns]
        templates = sorted({template for by_template in solved_at for template in by_template})
        rows = [
            [template_label(template), *(success_text(by_template.get(template)) for by_template in solved_at)]
            for template in templates
        ]
        caption = f"Tasks solved within {FEW} and {MANY} attempts, %, {setting_name(setting)}"
        document.table(caption, ["template", *(series.label for series in columns)], rows)


def _solved_at(series: Series, setting: str) -> dict[str, list[int | None]]:
    """By template: the attempts at which its tasks were solved."""
    by_template: dict[str, list[int | None]] = {}
    for result in series.results:
        for task_id, attempt in result.solved_at.items() if result.setting == setting else ():
            by_template.setdefault(template_of(task_id), []).append(attempt)
    return by_template


def success_text(solved_at: Sequence[int | None] | None) -> str:
    """The percentages of tasks solved within few and within many attempts, as in: 25 / 50."""
    if not solved_at:
        return ""
    few, many = (sum(at is not None and at <= limit for at in solved_at) for limit in (FEW, MANY))
    return f"{100 * few / len(solved_at):.0f} / {100 * many / len(solved_at):.0f}"


def template_label(template: str) -> str:
    """The id of a template, and its name if it is a published one."""
    return f"{template} {NAMES.get(template, '')}".strip()
