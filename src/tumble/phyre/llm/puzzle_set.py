"""A selection of PHYRE's tasks as puzzles, and the scores of models that attempted them."""

from collections.abc import Mapping, Sequence
from typing import Any

from tumble.llm.options import options_text
from tumble.llm.puzzle import PuzzleError, PuzzleSet
from tumble.phyre.evaluation.log_rows import lost_row
from tumble.phyre.evaluation.metrics import auccess, success_at
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.llm.ceiling import Ceiling, known_ceiling
from tumble.phyre.llm.prompts import PROMPT_VERSION
from tumble.phyre.llm.puzzle import PhyrePuzzle
from tumble.phyre.llm.settings import read_settings, run_spec, selected_ids
from tumble.phyre.simulation.status import SOLVED
from tumble.phyre.tasks.catalogue import task as task_by_id
from tumble.phyre.tasks.splits import template_of
from tumble.phyre.tasks.task import MAX_ATTEMPTS
from tumble.runs.log import Row

WITHIN = (1, 2, 5, 10, 20, 50, MAX_ATTEMPTS)
"""Attempts within which successes are counted; those above the run's limit are left out."""


ROW_FIELDS = ("attempt", "action", "status", "steps")


class PhyrePuzzles(PuzzleSet):
    """The tasks of a selection; see `Settings` for what it may hold."""

    prompt_version = PROMPT_VERSION
    tools = ("simulate", "look")

    def __init__(self, selection: Mapping[str, Any]) -> None:
        self.settings = read_settings(selection)
        self.ids: Sequence[str] = selected_ids(self.settings)
        self.grid = self.settings.answer_grid

    def puzzle(self, task_id: str) -> PhyrePuzzle:
        return PhyrePuzzle(task_by_id(task_id), self.settings.mode, self.settings.attempts, self.grid)

    def template(self, task_id: str) -> str:
        return template_of(task_id)

    def ceiling(self, task_ids: Sequence[str] | None = None) -> Ceiling | None:
        """Which of its tasks, or of those named, the grid can solve at all; None if that is not stored."""
        return None if self.grid is None else known_ceiling(self.grid, self.ids if task_ids is None else task_ids)

    def scores(self, records: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, float]:
        """AUCCESS and success within numbers of attempts, 0 to 1; with the ceiling of the grid where it is stored.

        A task that is not solved within the attempts of the settings counts as unsolved to the end.
        """
        if not records:
            return {}
        solved_at = [self._solved_at(made) for made in records.values()]
        most = self.settings.attempts
        within = [count for count in WITHIN if count < most] + [most]
        scores = {"auccess": auccess(solved_at)}
        scores.update({f"success_within_{count}": success_at(solved_at, count) for count in within})
        ceiling = self.ceiling(list(records))
        return scores if ceiling is None else {**scores, "grid_ceiling": ceiling.share}

    def spec(self, model: str, settings: Mapping[str, Any]) -> PhyreRunSpec:
        """The run specification of a model's attempts at these tasks; `settings` are further ones of the model."""
        if self.settings.ids:
            raise PuzzleError(
                "attempts at tasks that were selected by ids can't be written as a run log: select setting, fold and "
                "split, and a limit if they are too many"
            )
        options = {} if self.grid is None else {"options": options_text({"grid": self.grid.name})}
        own = {"model": model, "mode": self.settings.mode, "prompts": self.prompt_version, **options, **settings}
        return run_spec(self.settings, own)

    def rows(self, records: Sequence[Mapping[str, Any]]) -> list[Row]:
        """The rows of a run log for a task, from the records of the attempts that counted, in their order.

        Attempts whose answer could not be read are lost. So are those that a model did not come to, as its answers
        were actions that can't be made, or as the provider failed.
        """
        rows: list[Row] = [
            lost_row(number) if record["action"] is None else {name: record[name] for name in ROW_FIELDS}
            for number, record in enumerate(records, 1)
        ]
        solved = bool(rows) and rows[-1]["status"] >= SOLVED
        most = len(rows) if solved else self.settings.attempts
        return [*rows, *map(lost_row, range(len(rows) + 1, most + 1))]

    def _solved_at(self, records: Sequence[Mapping[str, Any]]) -> int | None:
        """The attempt, counted from 1, that solved a task."""
        made = [record["status"] for record in records][: self.settings.attempts]
        return next((number for number, status in enumerate(made, 1) if status >= SOLVED), None)
