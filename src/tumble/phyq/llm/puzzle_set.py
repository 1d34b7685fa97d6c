"""Phy-Q's tasks as puzzles.

>>> found = puzzles({"setting": "broad", "only": ["6"], "limit": 3})
>>> list(found.ids)
['6.4:080', '6.5:080', '6.6:080']
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tumble.llm.puzzle import PuzzleSet
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.llm.prompts import PROMPT_VERSION
from tumble.phyq.llm.puzzle import PhyqPuzzle
from tumble.phyq.llm.records import run_log_rows
from tumble.phyq.llm.scores import scores_of
from tumble.phyq.llm.settings import Settings, settings_of
from tumble.phyq.tasks.catalogue import cached_task
from tumble.runs.log import Row

MODEL_AGENT = "llm"
"""The agent of run specifications that stands for a language model."""


class PhyqPuzzles(PuzzleSet):
    """The tasks of a selection."""

    prompt_version = PROMPT_VERSION
    tools = ("simulate", "look")

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.ids: Sequence[str] = settings.task_ids()

    def puzzle(self, task_id: str) -> PhyqPuzzle:
        return PhyqPuzzle(cached_task(task_id), self.settings)

    def template(self, task_id: str) -> str:
        return task_id.partition(":")[0]

    def scores(self, records: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, float]:
        return scores_of(records, self.settings.attempts)

    def spec(self, model: str, settings: Mapping[str, Any]) -> PhyQRunSpec:
        """The run specification of a model's attempts at these tasks; `settings` are further ones of the model."""
        chosen = self.settings
        setting = "tasks" if chosen.ids else chosen.setting
        only = tuple(self.ids) if chosen.ids or chosen.limit else chosen.only
        options = {"options": text} if (text := chosen.options) else {}
        own = {"model": model, "mode": chosen.mode, "prompts": self.prompt_version, **options, **settings}
        return PhyQRunSpec(MODEL_AGENT, setting, only, chosen.attempts, settings=own)

    def rows(self, records: Sequence[Mapping[str, Any]]) -> list[Row]:
        """The rows of a run log for a task, from the records of the attempts that counted, in their order."""
        return run_log_rows(records, self.settings.attempts)


def puzzles(selection: Mapping[str, Any]) -> PhyqPuzzles:
    """The puzzles of a selection (see `Settings`)."""
    return PhyqPuzzles(settings_of(selection))
