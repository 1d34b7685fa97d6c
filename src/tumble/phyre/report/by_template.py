"""What agents solve of each template."""

from collections.abc import Sequence

from tumble.phyre.report.groups import Group, Series
from tumble.phyre.report.scores import setting_name
from tumble.phyre.tasks.splits import template_of
from tumble.phyre.tasks.templates import NAMES
from tumble.report import Document

MOST_COLUMNS = 7
FEW, MANY = 10, 100


def add_table(document: Document, group: Group) -> None:
    """The share of each template's tasks that agents solve, over all folds that tested it."""
    document.heading("Templates", 3)
    for setting in group.settings:
        shown = group.main_series(setting, MOST_COLUMNS)
        tested = [_tested(one, setting) for one in shown]
        templates = sorted({template for found in tested for template in found})
        rows = [[named(template), *(share(found.get(template)) for found in tested)] for template in templates]
        caption = f"Tasks solved within {FEW} and {MANY} attempts, %, {setting_name(setting)}"
        document.table(caption, ["template", *(one.label for one in shown)], rows)


def _tested(one: Series, setting: str) -> dict[str, list[int | None]]:
    found: dict[str, list[int | None]] = {}
    for result in one.results:
        for task_id, at in result.solved_at.items() if result.setting == setting else ():
            found.setdefault(template_of(task_id), []).append(at)
    return found


def share(solved_at: Sequence[int | None] | None) -> str:
    """The percentages solved within few and within many attempts."""
    if not solved_at:
        return ""
    few, many = (sum(at is not None and at <= most for at in solved_at) for most in (FEW, MANY))
    return f"{100 * few / len(solved_at):.0f} / {100 * many / len(solved_at):.0f}"


def named(template: str) -> str:
    """The id of a template, and its name if it is one of ours."""
    return f"{template} {NAMES.get(template, '')}".strip()
