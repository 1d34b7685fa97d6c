"""The default report of a benchmark: a table for each group of runs that can be compared."""

from collections.abc import Callable, Hashable, Sequence

from tumble.report.document import Document
from tumble.report.variants import setting_text
from tumble.runs.result import Result


def add_summary(
    document: Document, results: Sequence[Result], conditions: Callable[[Result], Hashable], introduction: str
) -> None:
    """Adds a table of agents and their results for each group of runs that can be compared."""
    document.text(introduction)
    groups: dict[Hashable, list[Result]] = {}
    for result in results:
        groups.setdefault(conditions(result), []).append(result)
    for number, group in enumerate(groups.values(), start=1):
        header = group[0].header
        document.heading("Runs" if len(groups) == 1 else f"Runs that can be compared, group {number}")
        document.text(f"{header.task_count:,} tasks; physics {header.physics}.")
        rows = [
            [
                ", ".join([run.agent, *(setting_text(*setting) for setting in run.header.further_settings.items())]),
                str(run.header.spec["seed"]),
                run.tasks,
                run.agent_was_given,
                run.summary,
            ]
            for run in sorted(group, key=lambda run: (run.agent, run.header.spec["seed"]))
        ]
        document.table("Results", ["agent", "seed", "tasks", "given", "result"], rows)
