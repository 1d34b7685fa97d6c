"""PHYRE as Tumble's command line, run logs and reports know it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tumble.benchmark import PackageBenchmark

if TYPE_CHECKING:
    from tumble.llm.puzzle import PuzzleSet


class Phyre(PackageBenchmark):
    name = "phyre"
    title = "PHYRE"
    summary = "place balls so that two bodies come to touch."
    position = 1
    columns = ("agent", "setting", "fold", "seed", "tasks", "finished", "AUCCESS")
    needs_all_attempts = False
    package = "tumble.phyre"
    spec_class = "PhyreRunSpec"
    study_example = """
attempts = 10
practice = ["00000:000"]

[tasks]
setting = "ball_cross_template"  # the test tasks of a fold, spread over templates; agents: evaluate --limit 6 …
fold = 0
limit = 6
# ids = ["00001:000", "00002:017"]  # or these tasks, in place of a setting
"""

    def puzzles(self, selection: Mapping[str, Any]) -> "PuzzleSet":
        """The tasks of a selection as puzzles for language models; `tumble.phyre.llm.settings` says what it holds."""
        found: PuzzleSet = self._part("llm.puzzle_set", "PhyrePuzzles")(selection)
        return found

    def selection(self, spec: Any) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._part("llm.settings", "selection_of")(spec)
        return found


PHYRE = Phyre()
