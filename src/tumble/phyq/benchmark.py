"""Phy-Q as Tumble's command line, run logs and reports know it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tumble.benchmark import PackageBenchmark

if TYPE_CHECKING:
    from tumble.llm.puzzle import PuzzleSet


class PhyQ(PackageBenchmark):
    name = "phyq"
    title = "Phy-Q"
    summary = "shoot birds so that all pigs die."
    position = 2
    columns = ("agent", "setting", "seed", "attempts", "tasks", "finished", "passed, %", "Phy-Q")
    package = "tumble.phyq"
    spec_class = "PhyQRunSpec"
    study_example = """
attempts = 5
practice = ["1.1:000"]

[tasks]
setting = "tasks"  # or broad, local; agents: evaluate --setting tasks --only 1.2,3.1 --limit 2
only = ["1.2", "3.1"]  # scenarios, templates or tasks
limit = 2  # of each template
"""

    def puzzles(self, selection: Mapping[str, Any]) -> "PuzzleSet":
        """The tasks of a selection (`llm.settings.Settings`) as puzzles for language models."""
        found: PuzzleSet = self._part("llm.puzzle_set", "puzzles")(selection)
        return found

    def selection(self, spec: Any) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._part("llm.settings", "selection_of")(spec)
        return found


PHYQ = PhyQ()
