"""The jobs of one generation: the sets that are not finished, and the questions of each block whose sets are.

Sets are planned one by one, when a worker can take one. Only this process records what is finished, since workers may
outlive it.
"""

from collections import Counter, deque
from collections.abc import Iterator, Mapping
from contextlib import closing

from tumble.comphy.dataset.checksums import GrowingSums
from tumble.comphy.dataset.layout import Layout, PlannedSet, Split, sets_of_split
from tumble.comphy.dataset.question_files import write_questions
from tumble.comphy.dataset.settings import Settings
from tumble.comphy.generation.estimate import Estimate
from tumble.comphy.generation.question_blocks import Block, ask_sets, block_file, block_number, block_of
from tumble.comphy.generation.set_files import WrittenSet, generate_set_files, is_finished
from tumble.comphy.questions.ask import BLOCK_SIZE
from tumble.comphy.questions.programs.symbolic_scene import SymbolicScene
from tumble.errors import TumbleError
from tumble.jobs.job import Executor, Job, Outcome
from tumble.progress import Advance, bar

MAX_LISTED = 5
"""Failures that an error lists."""
MAX_FAILURES = 50
"""Failures after which no more sets are started."""

BlockKey = tuple[Split, int]
"""The split and number of a block."""


class GenerationError(TumbleError):
    """Some sets could not be generated; the others are kept."""


class GenerationRun:
    """Generates the sets of a dataset that are not finished, and asks questions about all."""

    def __init__(
        self,
        layout: Layout,
        settings: Settings,
        device: str,
        sums: dict[str, str],
        written: int,
        with_questions: bool,
    ) -> None:
        """`sums` are the checksums of what is finished, which are added to; `written` (ns) is when they were stored."""
        self.layout, self.settings, self.device = layout, settings, device
        self.sums, self.written, self.with_questions = sums, written, with_questions
        self.generated = 0
        self._remaining = settings.sets
        self._running: dict[str, PlannedSet | Block] = {}
        self._ready: deque[Block] = deque()
        """Blocks whose sets are finished and about which no questions have been asked yet."""
        self._finished: Counter[BlockKey] = Counter()
        """The number of finished sets of each block."""
        self._scenes: dict[BlockKey, dict[int, SymbolicScene]] = {}
        """Those of the sets that were generated in this run, until questions are asked about them."""
        self._failed: set[BlockKey] = set()
        """Blocks that lack a set, whose scenes need not be kept."""
        self._errors: list[str] = []
        self._advance: Advance = lambda done: None

    def execute(self, executor: Executor) -> None:
        """Runs all jobs; failures are raised at the end, in one error."""
        estimate, growing = Estimate(self.layout.root, executor.workers), GrowingSums(self.layout.parts / "sets.sha256")
        outcomes = executor.run(self._jobs())
        with bar("Generating sets", self.settings.sets) as self._advance, closing(growing), closing(outcomes):  # type: ignore[type-var]
            for outcome in outcomes:
                started = self._running.pop(outcome.job.name)
                if outcome.error:
                    self._fail(outcome, started)
                elif isinstance(started, Block):
                    write_questions(block_file(self.layout, started), outcome.value)
                else:
                    growing.append(outcome.value.sums)
                    self._add_set(started, outcome.value)
                    estimate.add(outcome.value.seconds, outcome.value.size, self._remaining)
        if self._errors:
            listed = sorted(self._errors)[:MAX_LISTED]
            more = [f"{len(self._errors) - MAX_LISTED} more"] if len(self._errors) > MAX_LISTED else []
            raise GenerationError("; ".join([*listed, *more]) + "; the rest is kept, repeat the command to resume")

    def _jobs(self) -> Iterator[Job | None]:
        """Set by set, then the questions of the last blocks; None while these wait for sets that are running."""
        for planned in self.settings.planned_sets():
            while self._ready:
                yield from self._ask(self._ready.popleft())
            if len(self._errors) >= MAX_FAILURES:
                return
            files = self.layout.files_of(planned.index, self.settings.size is not None)
            if is_finished(self.layout.root, files, self.sums, self.written):
                self._count(planned)
            else:
                arguments = (self.layout.root, self.settings, planned, self.device)
                yield self._started(planned, Job(f"set {planned.index:05d}", generate_set_files, arguments))
        while self._running or self._ready:
            if self._ready:
                yield from self._ask(self._ready.popleft())
            else:
                yield None

    def _ask(self, block: Block) -> Iterator[Job]:
        """The job of asking questions about a block, unless that has been done."""
        scenes = self._scenes.pop((block.split, block.number), {})
        if not block_file(self.layout, block).exists():
            sums = self._annotation_sums(index for index in block.indices if index not in scenes)
            yield self._started(
                block, Job(block.name, ask_sets, (self.layout.root, self.settings, block, scenes, sums))
            )

    def _started(self, what: PlannedSet | Block, job: Job) -> Job:
        self._running[job.name] = what
        return job

    def _annotation_sums(self, indices: Iterator[int]) -> Mapping[str, str]:
        paths = (path for index in indices for path in self.layout.files_of(index, with_videos=False))
        names = (path.relative_to(self.layout.root).as_posix() for path in paths)
        return {name: self.sums[name] for name in names}

    def _add_set(self, planned: PlannedSet, made: WrittenSet) -> None:
        self.sums.update(made.sums)
        self.generated += 1
        if self.with_questions and self._key(planned) not in self._failed:
            self._scenes.setdefault(self._key(planned), {})[planned.index] = made.scene
        self._count(planned)

    def _count(self, planned: PlannedSet) -> None:
        """Counts a finished set; a block is ready when all its sets are finished."""
        self._remaining -= 1
        self._advance(1)
        if not self.with_questions:
            return
        key = self._key(planned)
        self._finished[key] += 1
        if self._finished[key] == _block_length(self.settings, *key):
            self._ready.append(block_of(self.settings, *key))

    def _fail(self, outcome: Outcome, failed: PlannedSet | Block) -> None:
        self._errors.append(f"{outcome.job.name}: {outcome.error}")
        if isinstance(failed, PlannedSet):
            self._failed.add(self._key(failed))
            self._scenes.pop(self._key(failed), None)

    def _key(self, planned: PlannedSet) -> BlockKey:
        return planned.split, block_number(self.settings, planned)


def _block_length(settings: Settings, split: Split, number: int) -> int:
    return min(BLOCK_SIZE, sets_of_split(settings.sets, split, settings.split) - number * BLOCK_SIZE)
