"""A benchmark whose package has the usual tree: its parts are found by their place, and imported when needed."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tumble.benchmark import Benchmark
from tumble.progress import Advance
from tumble.runs.log import Log
from tumble.runs.result import Result
from tumble.runs.run import ProgressCallback
from tumble.runs.run_spec import RunSpec

if TYPE_CHECKING:
    import typer

    from tumble.report.document import Document
    from tumble.studies.study_tasks import StudyTasks


class PackageBenchmark(Benchmark):
    """Needs in its package:

    | module | names |
    | --- | --- |
    | evaluation.run_spec | the class of run specifications, named by `spec_class` |
    | evaluation.evaluate | evaluate |
    | evaluation.result | result_of |
    | evaluation.replay | replay |
    | evaluation.study_tasks | study_tasks, with `study_example` only |
    | simulation.warmup | WARMUPS, if it has kernels to compile |
    | report | add_report, groups.Conditions |
    | cli.logs | row, show |
    | cli.demo | add_demo |
    | cli.commands | app |
    | web.pages | Pages, if it has pages |
    | web.replays | Replays, if the attempts of its logs can be watched |
    """

    package: ClassVar[str]
    spec_class: ClassVar[str]

    def _part(self, module: str, name: str) -> Any:
        return getattr(import_module(f"{self.package}.{module}"), name)

    @property
    def spec(self) -> type[RunSpec]:
        found: type[RunSpec] = self._part("evaluation.run_spec", self.spec_class)
        return found

    def evaluate(self, spec: RunSpec, log: Log, progress: ProgressCallback, threads: int) -> None:
        self._part("evaluation.evaluate", "evaluate")(spec, log, progress, threads)

    def result(self, log: Log) -> Result:
        found: Result = self._part("evaluation.result", "result_of")(log)
        return found

    def conditions(self, result: Result) -> Hashable:
        found: Hashable = self._part("report.groups", "Conditions").of(result)
        return found

    def replay(self, log: Log, advance: Advance) -> str:
        return str(self._part("evaluation.replay", "replay")(log, advance))

    def warmups(self) -> Mapping[str, Callable[[str], None]]:
        if not self._has("simulation", "simulation.warmup"):
            return {}
        found: Mapping[str, Callable[[str], None]] = self._part("simulation.warmup", "WARMUPS")
        return found

    def study_tasks(self, selection: Mapping[str, Any], attempts: int) -> "StudyTasks":
        if not self.study_example:
            return super().study_tasks(selection, attempts)
        found: StudyTasks = self._part("evaluation.study_tasks", "study_tasks")(selection, attempts)
        return found

    def row(self, log: Log) -> list[str]:
        return list(self._part("cli.logs", "row")(log))

    def show(self, log: Log) -> None:
        self._part("cli.logs", "show")(log)

    def add_report(self, document: "Document", logs: Sequence[Log], max_animated: int) -> None:
        self._part("report", "add_report")(document, logs, max_animated)

    def add_demo(self, document: "Document", folder: Path, workers: int | None) -> Iterator[None]:
        yield from self._part("cli.demo", "add_demo")(document, folder, workers)

    def commands(self) -> "typer.Typer":
        app: typer.Typer = self._part("cli.commands", "app")
        return app

    def pages(self) -> Any:
        return self._part("web.pages", "Pages")() if self._has("web", "web.pages") else None

    def replays(self) -> Any:
        return self._part("web.replays", "Replays")() if self._has("web", "web.replays") else None

    def _has(self, *modules: str) -> bool:
        return all(find_spec(f"{self.package}.{module}") for module in modules)
