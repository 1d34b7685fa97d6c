"""What a benchmark is, and how benchmarks are found.

A benchmark is a subclass of `Benchmark` with one instance, named in the entry-point group `tumble.benchmarks` of the
package that brings it. The command line, run logs and reports know benchmarks only through this interface;
docs/guides/extending.md builds one step by step. Where a package has the usual tree, `PackageBenchmark` finds its
parts by their place, and imports them when needed.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tumble.errors import TumbleError, printable
from tumble.output import print_line
from tumble.progress import Advance
from tumble.runs.evaluate import ProgressCallback, Result, make_run, resumable_spec, resume_run
from tumble.runs.header import RunHeader
from tumble.runs.log import Log, read
from tumble.runs.participant import AgentRegistry, LanguageModel
from tumble.runs.spec import AGENT_DIGEST, RunSpec

if TYPE_CHECKING:
    import typer

    from tumble.llm.puzzle import PuzzleSet
    from tumble.report.document import Document
    from tumble.studies.store import Store
    from tumble.studies.study import StudyTasks


ENTRY_POINTS = "tumble.benchmarks"


def no_progress(done: int, total: int) -> None:
    """A progress callback that shows nothing."""


class BenchmarkError(TumbleError):
    """A benchmark that does not exist, or that can't be loaded."""


class NoPuzzlesError(BenchmarkError):
    """A benchmark that language models can't attempt."""


class Benchmark(ABC):
    """The interface of a benchmark.

    Importing the module of its instance must be quick, as every command does it: what takes long (Warp, PyTorch) is
    imported inside methods.
    """

    name: ClassVar[str]
    """As typed in `tumble NAME evaluate`, and in the headers of run logs."""
    title: ClassVar[str]
    """As in headings."""
    summary: ClassVar[str]
    """One line of help."""
    columns: ClassVar[tuple[str, ...]] = ("agent", "seed", "tasks", "finished", "result")
    """Of a table of logs, before the file's name."""
    position: ClassVar[int] = 100
    """In help, reports and the demo: lower numbers first."""
    needs_all_attempts: ClassVar[bool] = True
    """Whether a result needs every attempt of a log, not only the last one at each task."""
    study_example: ClassVar[str] = ""
    """What a new study.toml says of attempts, practice and tasks; empty for a benchmark without studies."""

    @property
    @abstractmethod
    def spec(self) -> type[RunSpec]:
        """The class of its run specifications."""

    @property
    def agents(self) -> AgentRegistry[Any]:
        """Its agents."""
        return self.spec.registry

    def physics_id(self) -> str:
        """The id of its current physics."""
        return self.spec.physics_id()

    @abstractmethod
    def evaluate(self, spec: Any, log: Log, progress: ProgressCallback, threads: int) -> None:
        """Has an agent attempt the tasks that a log lacks, and adds them to it."""

    @abstractmethod
    def result(self, log: Log) -> Result:
        """The result of a run, as far as it is finished."""

    @abstractmethod
    def replay(self, log: Log, advance: Advance) -> str:
        """Replays a log's attempts; returns the first difference in words, or "". `advance` counts attempts."""

    @abstractmethod
    def commands(self) -> "typer.Typer":
        """The commands below `tumble NAME`."""

    def conditions(self, result: Any) -> Hashable:
        """Runs are compared only where these are equal: by default physics, tasks and all that decides a result but
        the agent, its settings and the seed."""
        header: RunHeader = result.header
        spec = self.spec.from_header(header)
        own = {"agent", "settings", "seed", *self.spec.no_effect, *spec.places()}  # digests tell what is in places
        fields = {name: value for name, value in spec.plain().items() if name not in own}
        tasks = {name: value for name, value in header.digests.items() if name != AGENT_DIGEST}
        return json.dumps([header.physics, header.task_count, fields, tasks], sort_keys=True, default=str)

    def row(self, log: Log) -> list[str]:
        """A log in a table with `columns`."""
        result = self.result(log)
        finished = "yes" if log.finished else "no"
        return [result.agent, str(log.header.spec["seed"]), result.tasks, finished, result.summary]

    def show(self, log: Log) -> None:
        """Prints scores, and perhaps some attempts, of a log."""
        print_line(self.result(log).summary)

    def add_report(self, document: "Document", logs: Sequence[Log], max_animated: int) -> None:
        """Adds tables and figures of logs, and at most a number of animations; by default a table of results."""
        from tumble.report.grouping import add_summary

        add_summary(document, [self.result(log) for log in logs], self.conditions, self.summary)

    def add_demo(self, document: "Document", folder: Path, workers: int | None) -> Iterator[None]:
        """Adds its part of the demo, made in a folder with a number of processes (None: one per core).

        Yields whenever the document has something new to show.
        """
        yield from ()

    def pages(self) -> Any:
        """The pages on which people attempt its tasks, a `tumble.web.pages.WebPages`; None for none."""
        return None

    def replays(self) -> Any:
        """How pages show the attempts of its run logs, a `tumble.web.pages.Replays`; None for tables only."""
        return None

    def warmups(self) -> Mapping[str, Callable[[str], None]]:
        """What is compiled when it is first used, by name; each function uses it once on a device ("cpu", "cuda")."""
        return {}

    def study_tasks(self, selection: Mapping[str, Any], attempts: int) -> "StudyTasks":
        """The tasks of a study with people, selected by the table [tasks] of its study.toml."""
        raise BenchmarkError(f"{self.title} has no studies with people")

    def puzzles(self, selection: Mapping[str, Any]) -> "PuzzleSet":
        """Its tasks as puzzles for language models.

        The keys of the selection are those of the benchmark (split, fold, mode, attempts, limit, …), which raises a
        TumbleError for one that it does not know; without keys it is the usual selection. A `limit` is spread over
        the templates, as in run specifications. Equal selections give equal puzzles.
        """
        raise NoPuzzlesError(f"{self.title} has no prompts for language models")

    def selection(self, spec: Any) -> Mapping[str, Any]:
        """The selection of the puzzles that are the tasks of a language model's run specification."""
        raise NoPuzzlesError(f"{self.title} has no prompts for language models")

    def run(self, spec: RunSpec, folder: str | Path, progress: ProgressCallback = no_progress, threads: int = 0) -> Log:
        """Makes a run, resumes it, or reads it where it is finished."""
        if spec.participant is LanguageModel:
            from tumble.llm.evaluate import complete_spec

            spec.make_participant()  # reports wrong settings
            spec = complete_spec(spec, self.puzzles(self.selection(spec)))
        return make_run(self._evaluate, spec, folder, progress, threads)

    def resume(
        self,
        path: str | Path,
        progress: ProgressCallback = no_progress,
        threads: int = 0,
        agent: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Log:
        """Resumes the run of a log; refuses where what it depends on has changed since.

        `agent` is the FILE.py:CLASS of its agent and `settings` those that name files or addresses, as a log names
        nothing that is run or opened.
        """
        log = read(path)
        spec = resumable_spec(log, self.spec, agent, settings)
        return log if log.finished else self.resume_as(spec, path, progress, threads)

    def resume_as(
        self, spec: RunSpec, path: str | Path, progress: ProgressCallback = no_progress, threads: int = 0
    ) -> Log:
        """As `resume`, with the specification that `runs.run.resumable` made of the log."""
        return resume_run(self._evaluate, spec, path, progress, threads)

    def _evaluate(self, spec: RunSpec, log: Log, progress: ProgressCallback, threads: int) -> None:
        """As `evaluate`; for a language model, runs the dialogues of its puzzles."""
        if spec.participant is not LanguageModel:
            self.evaluate(spec, log, progress, threads)
            return
        from tumble.llm.evaluate import attempt_puzzles, complete_spec

        puzzles = self.puzzles(self.selection(spec))
        if complete_spec(spec, puzzles).settings != spec.settings:
            raise BenchmarkError(f"{log.path}: its prompts depend on more now; start a new run")
        attempt_puzzles(puzzles, spec, log, progress)


@cache
def installed() -> tuple[dict[str, Benchmark], tuple[str, ...]]:
    """All installed benchmarks by name, in their order; and those that can't be loaded, in words."""
    found: dict[str, Benchmark] = {}
    problems = []
    for entry in entry_points(group=ENTRY_POINTS):
        try:
            benchmark = entry.load()
            if not isinstance(benchmark, Benchmark) or benchmark.name != entry.name:
                raise TypeError(f"{entry.value} must be an instance of tumble.benchmark.Benchmark named {entry.name!r}")
        except Exception as error:  # a broken plug-in must not break the others
            package = entry.dist.name if entry.dist else "unknown"
            problems.append(
                f"benchmark {entry.name!r} of package {package!r} can't be loaded: {type(error).__name__}: {error}"
            )
        else:
            found.setdefault(entry.name, benchmark)
    ordered = sorted(found.values(), key=lambda one: (one.position, one.name))
    return {benchmark.name: benchmark for benchmark in ordered}, tuple(problems)


def benchmarks() -> dict[str, Benchmark]:
    """All installed benchmarks by name."""
    return installed()[0]


def benchmark(name: str) -> Benchmark:
    """A benchmark by its name."""
    if name not in benchmarks():
        raise BenchmarkError(f"no benchmark {name!r}; installed are {', '.join(benchmarks()) or 'none'}")
    return benchmarks()[name]


Report = tuple[Sequence[Any], dict[Path, str]]
"""Parts of a document; and, by path of a log that could not be part of it, why."""


def report_of(of: Benchmark, logs: Sequence[Log], max_animated: int, drawn: bool = True) -> Report:
    """A benchmark's report of logs, without those that no report can be made of.

    A log may say anything, and one must not keep the others from being reported. `drawn` says whether the figures will
    be needed.
    """
    reasons: dict[Path, str] = {}
    for together in (False, True):
        try:
            return (_report_parts(of, logs, max_animated, drawn) if logs else ()), reasons
        except Exception:
            usable: list[Log] = []
            for log in logs:
                try:
                    _report_parts(of, [*(usable if together else ()), log], 0, drawn)
                except Exception as error:
                    is_expected = isinstance(error, TumbleError)
                    text = (
                        str(error) if is_expected else f"no report can be made of it: {type(error).__name__}: {error}"
                    )
                    reasons[log.path] = printable(text)
                else:
                    usable.append(log)
            logs = usable
    return (_report_parts(of, logs, max_animated, drawn) if logs else ()), reasons


def _report_parts(of: Benchmark, logs: Sequence[Log], max_animated: int, drawn: bool) -> Sequence[Any]:
    from tumble.report.document import Document, Figure

    document = Document(of.title)
    of.add_report(document, logs, max_animated)
    for part in document.parts:
        if drawn and isinstance(part, Figure):
            _ = part.plot.svg  # kept for the page
    return document.parts


def open_study(path: str | Path) -> "Store":
    """The store of the study of a study.toml, which is created beside it."""
    from tumble.studies.store import Store
    from tumble.studies.study import StudyError, read_study

    file = read_study(path)
    try:
        return Store(file, benchmark(file.study.benchmark).study_tasks(file.study.tasks, file.study.attempts))
    except TumbleError as error:
        text = str(error)
        raise StudyError(text if text.startswith(str(path)) else f"{path}: {text}") from None


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
