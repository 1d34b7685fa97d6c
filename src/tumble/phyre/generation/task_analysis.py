"""Analyses of tasks by random actions: is a task solvable, is it trivial, and how hard is it?

The solvability of a task is the chance s that a random valid action solves it stably. As in the paper's appendix B,
attempts are drawn in batches until one of two hypotheses is rejected: s <= p0 (then the task is solvable) or s >= 2
p0 (then it is not). The file of an analysis is written after every batch, and the seed of a batch depends only on
the task, the tier and its number: an analysis that was killed resumes and ends with the same result.
"""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from tumble import engine
from tumble.bounded import json_value, read_bytes
from tumble.errors import TumbleError
from tumble.phyre.catalogue.task import TIERS, Task, digest_of_tasks
from tumble.phyre.catalogue.tasks_by_id import template_of
from tumble.phyre.simulation.actions import fixed_set
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, NOT_SOLVED, STABLY_SOLVED, UNSTABLY_SOLVED
from tumble.progress import bar
from tumble.scene.files import whole_file

P0 = {"B": 1e-5, "2B": 1e-6}
SIGNIFICANCE = 0.05
MIN_VALID = 10_000
"""Valid attempts before anything is decided."""
TRIVIAL_SHARE = 0.1
"""A task is trivial if this share of all actions within the scene, invalid ones included, solves it stably."""

SOLVABLE, UNSOLVABLE, UNDECIDED = "solvable", "unsolvable", "undecided"


@dataclass(frozen=True)
class Counts:
    """Numbers of random attempts at a task by status."""

    not_solved: int = 0
    invalid: int = 0
    unstable: int = 0
    stable: int = 0

    @property
    def valid(self) -> int:
        return self.not_solved + self.unstable + self.stable

    @property
    def all(self) -> int:
        return self.valid + self.invalid

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.not_solved + other.not_solved,
            self.invalid + other.invalid,
            self.unstable + other.unstable,
            self.stable + other.stable,
        )


def count_statuses(status: np.ndarray) -> Counts:
    """The counts of statuses [n] from `Simulator.pairs(…, stable=True)`.

    >>> count_statuses(np.array([-1, 3, 0, -1]))
    Counts(not_solved=2, invalid=1, unstable=0, stable=1)
    """
    codes = (NOT_SOLVED, INVALID, UNSTABLY_SOLVED, STABLY_SOLVED)
    return Counts(*(int((status == code).sum()) for code in codes))


def stably_solves(simulator: Simulator, task_ids: Sequence[str], actions: np.ndarray) -> np.ndarray:
    """bool [pair]: whether each action solves the task of the same index, even if shifted by half a pixel."""
    return np.asarray(simulator.pairs(task_ids, actions, stable=True) == STABLY_SOLVED)


def verdict(counts: Counts, p0: float) -> str:
    """Solvable, unsolvable or undecided; a task for which both hypotheses are rejected is solvable.

    >>> verdict(Counts(not_solved=9_900, stable=100), P0["B"])
    'solvable'
    """
    if counts.valid < MIN_VALID:
        return UNDECIDED
    if chance_of_at_least(counts.stable, counts.valid, p0) < SIGNIFICANCE:
        return SOLVABLE
    if chance_of_at_most(counts.stable, counts.valid, 2.0 * p0) < SIGNIFICANCE:
        return UNSOLVABLE
    return UNDECIDED


def is_trivial(counts: Counts) -> bool:
    """Whether random actions solve the task within a few attempts."""
    return counts.all > 0 and counts.stable >= TRIVIAL_SHARE * counts.all


def chance_of_at_least(successes: int, attempts: int, chance: float) -> float:
    """P(X >= successes) for X ~ Binomial(attempts, chance): the upper tail of the binomial test."""
    if successes <= attempts * chance:
        return 1.0 - chance_of_at_most(successes - 1, attempts, chance)
    return _tail(successes, attempts, chance, 1)


def chance_of_at_most(successes: int, attempts: int, chance: float) -> float:
    """P(X <= successes) for X ~ Binomial(attempts, chance): the lower tail of the binomial test."""
    if successes < 0:
        return 0.0
    if successes > attempts * chance:
        return 1.0 - _tail(successes + 1, attempts, chance, 1)
    return _tail(successes, attempts, chance, -1)


def _tail(start: int, attempts: int, chance: float, direction: int) -> float:
    """The sum of the probabilities from `start` on, away from the mean, where each is smaller than the one before."""
    if not 0 <= start <= attempts:
        return 0.0
    log_term = (
        math.lgamma(attempts + 1)
        - math.lgamma(start + 1)
        - math.lgamma(attempts - start + 1)
        + start * math.log(chance)
        + (attempts - start) * math.log1p(-chance)
    )
    term = total = math.exp(log_term)
    odds = chance / (1.0 - chance)
    k = start
    while term > 1e-17 * total and 0 <= k + direction <= attempts:
        term *= (attempts - k) / (k + 1) * odds if direction > 0 else k / (attempts - k + 1) / odds
        total += term
        k += direction
    return min(1.0, total)


FORMAT = "tumble-phyre-analysis-1"
BATCH_SIZE = 10_000
"""Random actions within the scene in a batch of attempts at a task."""
MAX_BATCHES = 1000
JOBS_PER_WRITE = 24
"""Tasks that get another batch before the file is written."""


class AnalysisError(TumbleError):
    """An analysis that cannot be made, read or resumed."""


@dataclass(frozen=True)
class Analysis:
    """The current result of random actions of a tier on a task."""

    task: str
    tier: str
    digest: str
    batches: int = 0
    counts: Counts = field(default_factory=Counts)
    solution: tuple[float, ...] = ()
    """The first action that solved stably."""

    @property
    def verdict(self) -> str:
        return verdict(self.counts, P0[self.tier])

    @property
    def trivial(self) -> bool:
        return is_trivial(self.counts)

    @property
    def finished(self) -> bool:
        return self.verdict != UNDECIDED or self.batches >= MAX_BATCHES


Analyses = dict[tuple[str, str], Analysis]
"""Analyses by task id and tier of the actions."""


def analyse(
    tasks: Iterable[Task], path: str | Path, device: str = "cpu", on_finished: Callable[[Analysis], None] | None = None
) -> Analyses:
    """Analyses tasks, those of tier 2B also with one ball; resumes from the file `path` and writes to it.

    `on_finished` is called with each analysis when it is finished.
    """
    by_id = {task.id: task for task in tasks}
    file = Path(path)
    stored = _read_analyses(file) if file.exists() else {}
    jobs: Analyses = {}
    for task in by_id.values():
        for tier in ("B",) if task.tier == "B" else ("2B", "B"):
            fresh = Analysis(task.id, tier, digest_of_tasks([task]))
            jobs[task.id, tier] = stored.get((task.id, tier), fresh)
            if jobs[task.id, tier].digest != fresh.digest:
                raise AnalysisError(f"{path} has a different task with the id {task.id}; use another file")
    simulators = {
        tier: Simulator([replace(task, tier=tier) for task in by_id.values()], tier, device)
        for tier in {tier for _, tier in jobs}
    }
    open_jobs = [job for job in jobs.values() if not job.finished]
    with bar("Analysing", len(jobs)) as advance:
        advance(len(jobs) - len(open_jobs))
        while open_jobs:
            updated = [_run_batch(simulators, job) for job in open_jobs[:JOBS_PER_WRITE]]
            jobs.update({(job.task, job.tier): job for job in updated})
            _write_analyses(file, {**stored, **jobs})
            open_jobs = [job for job in updated if not job.finished] + open_jobs[JOBS_PER_WRITE:]
            for job in updated:
                if job.finished:
                    advance(1)
                    if on_finished:
                        on_finished(job)
    return jobs


def one_ball_shares(analyses: Mapping[tuple[str, str], Analysis]) -> dict[str, float]:
    """For each template of tier 2B: the share of its tasks that one ball can solve; it should be below a half."""
    solvable: dict[str, list[bool]] = {}
    for task_id, tier in analyses:
        if tier == "2B":
            one_ball = analyses[task_id, "B"].verdict == SOLVABLE
            solvable.setdefault(template_of(task_id), []).append(one_ball)
    return {template: sum(flags) / len(flags) for template, flags in solvable.items()}


def _run_batch(simulators: Mapping[str, Simulator], job: Analysis) -> Analysis:
    """The analysis after one more batch."""
    seed = int.from_bytes(sha256(f"{job.task}/{job.tier}/{job.batches}".encode()).digest()[:8], "little")
    actions = fixed_set(TIERS[job.tier], BATCH_SIZE, seed)
    status = simulators[job.tier].pairs([job.task] * BATCH_SIZE, actions, stable=True, progress=lambda _: None)
    stable = np.flatnonzero(status == STABLY_SOLVED)
    solution = job.solution or (tuple(map(float, actions[stable[0]])) if len(stable) else ())
    return replace(job, batches=job.batches + 1, counts=job.counts + count_statuses(status), solution=solution)


def _write_analyses(path: Path, analyses: Analyses) -> None:
    record = {
        "format": FORMAT,
        "physics": engine.physics_id(),
        "analyses": [asdict(analysis) for analysis in analyses.values()],
    }
    with whole_file(path) as partial:
        partial.write_text(json.dumps(record, indent=0), encoding="utf-8")


def _read_analyses(path: Path) -> Analyses:
    try:
        record = json_value(read_bytes(path))
        if record["format"] != FORMAT:
            raise ValueError(f"its format is not {FORMAT}")
        physics = record["physics"]
        analyses = [_analysis_of_record(fields) for fields in record["analyses"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AnalysisError(f"{path} is not a file of analyses ({error}); use another file") from None
    if physics != engine.physics_id():
        raise AnalysisError(f"{path} was made with physics {physics}, this is {engine.physics_id()}; use another file")
    return {(analysis.task, analysis.tier): analysis for analysis in analyses}


def _analysis_of_record(fields: Any) -> Analysis:
    if not isinstance(fields, dict):
        raise TypeError(f"expected an object, got {fields!r}")
    parts = {"counts": Counts(**fields["counts"]), "solution": tuple(fields["solution"])}
    analysis = Analysis(**{**fields, **parts})
    if not all(type(text) is str for text in (analysis.task, analysis.tier, analysis.digest)):
        raise TypeError(f"task, tier and digest must be texts, not {analysis.task!r:.80}")
    numbers = (analysis.batches, *astuple(analysis.counts))
    if not all(type(number) is int and number >= 0 for number in numbers):
        raise ValueError(f"counts of {analysis.task} are damaged")
    return analysis
