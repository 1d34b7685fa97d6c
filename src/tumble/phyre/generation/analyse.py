"""Analysing tasks: random attempts in batches until it is known whether each is solvable and whether it is trivial.

What is known so far is kept in a file after every batch, and batches are drawn from numbers that hang on the task and
the batch only: an analysis that was killed goes on where it was, and ends as if it had not been.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, astuple, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from tumble import engine
from tumble.phyre.generation.checks import P0, SOLVABLE, UNDECIDED, Counts, counted, is_trivial, verdict
from tumble.phyre.simulation.actions import fixed_set
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import STABLY_SOLVED
from tumble.phyre.tasks.digest import digest_of_tasks
from tumble.phyre.tasks.splits import template_of
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.tier import TIERS
from tumble.progress import bar
from tumble.scene.files import whole_file

FORMAT = "tumble-phyre-analysis-1"
BATCH = 10_000
"""Random actions within the scene that are tried on a task at a time."""
MOST_BATCHES = 1000
JOBS_TOGETHER = 24


class AnalysisError(ValueError):
    """A file that holds no analysis, or one of other tasks or physics."""


@dataclass(frozen=True)
class Analysis:
    """What random actions of a tier have shown about a task so far."""

    task: str
    tier: str
    digest: str
    batches: int = 0
    counts: Counts = field(default_factory=Counts)
    solution: tuple[float, ...] = ()
    """The first action found that solves stably."""

    @property
    def verdict(self) -> str:
        return verdict(self.counts, P0[self.tier])

    @property
    def trivial(self) -> bool:
        return is_trivial(self.counts)

    @property
    def finished(self) -> bool:
        return self.verdict != UNDECIDED or self.batches >= MOST_BATCHES


Analyses = dict[tuple[str, str], Analysis]
"""By task id and tier of the actions."""


def analyse(
    tasks: Iterable[Task], path: str | Path, device: str = "cpu", notice: Callable[[Analysis], None] | None = None
) -> Analyses:
    """Analyses tasks, those of tier 2B also with one ball; what `path` knows is taken over, and kept there.

    `notice` is called with each analysis that is finished.
    """
    chosen = {task.id: task for task in tasks}
    file = Path(path)
    known = _read(file) if file.exists() else {}
    jobs: Analyses = {}
    for task in chosen.values():
        for tier in ("B",) if task.tier == "B" else ("2B", "B"):
            fresh = Analysis(task.id, tier, digest_of_tasks([task]))
            jobs[task.id, tier] = known.get((task.id, tier), fresh)
            if jobs[task.id, tier].digest != fresh.digest:
                raise AnalysisError(f"{path} knows another task of the id {task.id}; use another file")
    simulators = {
        tier: Simulator([replace(task, tier=tier) for task in chosen.values()], tier, device)
        for tier in {tier for _, tier in jobs}
    }
    open_jobs = [job for job in jobs.values() if not job.finished]
    with bar("Analysing", len(jobs)) as advance:
        advance(len(jobs) - len(open_jobs))
        while open_jobs:
            done = [_with_another_batch(simulators, job) for job in open_jobs[:JOBS_TOGETHER]]
            jobs.update({(job.task, job.tier): job for job in done})
            _write(file, {**known, **jobs})
            open_jobs = [job for job in done if not job.finished] + open_jobs[JOBS_TOGETHER:]
            for job in done:
                if job.finished:
                    advance(1)
                    if notice:
                        notice(job)
    return jobs


def one_ball_shares(analyses: Mapping[tuple[str, str], Analysis]) -> dict[str, float]:
    """For each template of tier 2B: the share of its tasks that one ball can solve; below a half is as it should be."""
    members: dict[str, list[bool]] = {}
    for task_id, tier in analyses:
        if tier == "2B":
            alone = analyses[task_id, "B"].verdict == SOLVABLE
            members.setdefault(template_of(task_id), []).append(alone)
    return {template: sum(alone) / len(alone) for template, alone in members.items()}


def _with_another_batch(simulators: Mapping[str, Simulator], job: Analysis) -> Analysis:
    seed = int.from_bytes(sha256(f"{job.task}/{job.tier}/{job.batches}".encode()).digest()[:8], "little")
    actions = fixed_set(TIERS[job.tier], BATCH, seed)
    status = simulators[job.tier].pairs([job.task] * BATCH, actions, stable=True, progress=lambda _: None)
    stable = np.flatnonzero(status == STABLY_SOLVED)
    solution = job.solution or (tuple(map(float, actions[stable[0]])) if len(stable) else ())
    return replace(job, batches=job.batches + 1, counts=job.counts + counted(status), solution=solution)


def _write(path: Path, analyses: Analyses) -> None:
    record = {
        "format": FORMAT,
        "physics": engine.physics_id(),
        "analyses": [asdict(analysis) for analysis in analyses.values()],
    }
    with whole_file(path) as partial:
        partial.write_text(json.dumps(record, indent=0), encoding="utf-8")


def _read(path: Path) -> Analyses:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["format"] != FORMAT:
            raise ValueError("another format")
        physics = record["physics"]
        found = [_analysis(fields) for fields in record["analyses"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AnalysisError(f"{path} is no analysis of tasks ({error}); use another file") from None
    if physics != engine.physics_id():
        raise AnalysisError(f"{path} was made with physics {physics}, this is {engine.physics_id()}; use another file")
    return {(analysis.task, analysis.tier): analysis for analysis in found}


def _analysis(fields: Any) -> Analysis:
    if not isinstance(fields, dict):
        raise TypeError(f"an analysis can't be {fields!r}")
    parts = {"counts": Counts(**fields["counts"]), "solution": tuple(fields["solution"])}
    analysis = Analysis(**{**fields, **parts})
    numbers = (analysis.batches, *astuple(analysis.counts))
    if not all(type(number) is int and number >= 0 for number in numbers):
        raise ValueError(f"counts of {analysis.task} are damaged")
    return analysis
