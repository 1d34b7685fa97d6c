"""PHYRE's report: the tables and figures of the paper's section 4 and appendices, made from run logs."""

from collections.abc import Iterable

from tumble.phyre.evaluation.result import result_of
from tumble.phyre.report import analyses, animations, by_template, scores
from tumble.phyre.report.groups import INCIDENTAL, Group, group_results
from tumble.report.document import Document
from tumble.report.sections import add_sections
from tumble.runs.log import Log

INTRODUCTION = (
    "In a PHYRE task an agent places one ball (tier B) or two (2B), then physics runs; the task is solved when two "
    "bodies touch for three seconds. The benchmark allows 100 attempts at each task. AUCCESS is the share of tasks "
    "solved, averaged over the number of attempts with weights that make early ones count most; 100 would be every "
    "task at the first attempt. Across templates, agents are tested on templates that they have not trained on; "
    "within templates, on other tasks of the same templates. Repeated runs of an agent on a fold, with other seeds or "
    "action sets, are averaged."
)
RUN_COLUMNS = {"setting": lambda run: scores.setting_name(run.setting), "fold": lambda run: str(run.fold)}


def add_report(document: Document, logs: Iterable[Log], max_animated: int) -> None:
    """Adds the report of run logs, with animations for at most a number of templates."""
    results = [result_of(log) for log in logs]
    groups = group_results(results)
    add_sections(document, INTRODUCTION, results, groups, _add_figures, max_animated, RUN_COLUMNS, INCIDENTAL)


def _add_figures(document: Document, group: Group, max_animated: int) -> int:
    scores.add_curves(document, group)
    scores.add_tables(document, group)
    scores.add_folds(document, group)
    scores.add_tests(document, group)
    analyses.add_ranked(document, group)
    analyses.add_strength(document, group)
    analyses.add_variants(document, group)
    by_template.add_table(document, group)
    return animations.add_animations(document, group, max_animated)
