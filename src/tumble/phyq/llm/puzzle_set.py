"""Phy-Q's tasks as puzzles.

>>> found = puzzles({"setting": "broad", "only": ["6"], "limit": 1})
>>> list(found.ids)
['6.4:080', '6.5:080', '6.6:080']
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tumble.llm.puzzle import PuzzleSet
from tumble.phyq.llm.prompts import PROMPT_VERSION
from tumble.phyq.llm.puzzle import PhyqPuzzle
from tumble.phyq.llm.scores import scores_of
from tumble.phyq.llm.settings import Settings, settings_of
from tumble.phyq.tasks.catalogue import cached_task


class PhyqPuzzles(PuzzleSet):
    """The tasks of a selection."""

    prompt_version = PROMPT_VERSION

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.ids: Sequence[str] = settings.task_ids()

    def puzzle(self, task_id: str) -> PhyqPuzzle:
        return PhyqPuzzle(cached_task(task_id), self.settings)

    def scores(self, records: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, float]:
        return scores_of(records, self.settings.attempts)


def puzzles(selection: Mapping[str, Any]) -> PhyqPuzzles:
    """The puzzles of a selection (see `Settings`)."""
    return PhyqPuzzles(settings_of(selection))
