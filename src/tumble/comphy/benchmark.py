"""ComPhy as Tumble's command line, run logs and reports know it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tumble.benchmark import PackageBenchmark

if TYPE_CHECKING:
    from tumble.llm.puzzle import PuzzleSet


class ComPhy(PackageBenchmark):
    name = "comphy"
    title = "ComPhy"
    summary = "infer hidden mass and charge from videos, answer questions."
    position = 3
    columns = ("model", "split", "seed", "sets", "finished", "given", "factual", "predictive", "counterfactual")
    package = "tumble.comphy"
    spec_class = "ComPhyRunSpec"

    def puzzles(self, selection: Mapping[str, Any]) -> "PuzzleSet":
        found: PuzzleSet = self._part("llm.puzzle_set", "puzzles")(selection)
        return found

    def selection(self, spec: Any) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._part("llm.settings", "selection_of")(spec)
        return found


COMPHY = ComPhy()
