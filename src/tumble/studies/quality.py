"""How far a study is, what people did in it, and what looks wrong with the data of participants."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles

from tumble.studies.records import AttemptRecord, ParticipantRecord, TaskRecord

FAST_SECONDS = 0.5
"""Attempts that are released sooner were hardly thought about."""
MANY_FAST = 0.2
"""The share of fast attempts from which on a participant is suspicious."""


@dataclass(frozen=True)
class ParticipantQuality:
    """A participant in numbers; practice is left out."""

    number: int
    code: str
    tasks_done: int
    tasks: int
    finished: bool
    attempts: int
    solved: int
    """Tasks."""
    given_up: int
    median_seconds: float | None
    """To think, before an attempt."""
    fast: int
    """Attempts within FAST_SECONDS."""
    repeated: int
    """Attempts with an action that was tried before at the same task, and had not solved it."""
    problems: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class TaskQuality:
    """A task in numbers, over all participants who finished it."""

    task: str
    participants: int
    solved: int
    mean_attempts: float | None
    """Until it was solved, of those who did."""
    median_seconds: float | None


@dataclass(frozen=True)
class AttemptQuality:
    """The first, second, … attempts, over all participants and tasks that they finished."""

    number: int
    made: int
    solved_within: float
    """The share of tasks that were solved with this many attempts, 0 to 1."""
    seconds: tuple[float, float, float] | None
    """To think: the lower quartile, the median and the upper quartile."""


def participant_quality(record: ParticipantRecord) -> ParticipantQuality:
    """The numbers of a participant, and what looks wrong."""
    tasks = record.counted
    attempts = [attempt for task in tasks for attempt in task.attempts]
    fast = sum(seconds < FAST_SECONDS for seconds in _seconds(attempts))
    repeated = sum(map(_repeated, tasks))
    done = sum(task.done for task in tasks)
    problems = []
    if not record.finished:
        problems.append("unfinished" if done < len(tasks) else "questions not answered")
    if attempts and fast >= MANY_FAST * len(attempts):
        problems.append(f"{fast} of {len(attempts)} attempts within {FAST_SECONDS:g} s")
    if repeated:
        problems.append(f"{repeated} identical actions repeated")
    return ParticipantQuality(
        record.number,
        record.code,
        done,
        len(tasks),
        record.finished,
        len(attempts),
        sum(_solved_at(task) is not None for task in tasks),
        sum(task.given_up for task in tasks),
        _median(_seconds(attempts)),
        fast,
        repeated,
        tuple(problems),
    )


def task_quality(records: Sequence[ParticipantRecord]) -> list[TaskQuality]:
    """The numbers of all tasks that a participant finished, by id."""
    by_task: dict[str, list[TaskRecord]] = {}
    for record in records:
        for task in record.counted:
            if task.done:
                by_task.setdefault(task.task, []).append(task)
    return [_task_quality(task_id, by_task[task_id]) for task_id in sorted(by_task)]


def attempt_quality(records: Sequence[ParticipantRecord]) -> list[AttemptQuality]:
    """The numbers of the first, second, … attempts."""
    tasks = [task for record in records for task in record.counted if task.done]
    solved_at = [at for task in tasks if (at := _solved_at(task)) is not None]
    found = []
    for number in range(1, max((len(task.attempts) for task in tasks), default=0) + 1):
        made = [task.attempts[number - 1] for task in tasks if len(task.attempts) >= number]
        within = sum(at <= number for at in solved_at) / len(tasks)
        found.append(AttemptQuality(number, len(made), within, _quartiles(_seconds(made))))
    return found


def _quartiles(values: Sequence[float]) -> tuple[float, float, float] | None:
    if len(values) < 2:
        return (values[0], values[0], values[0]) if values else None
    low, middle, high = quantiles(values, n=4, method="inclusive")
    return low, middle, high


def _task_quality(task_id: str, tasks: Sequence[TaskRecord]) -> TaskQuality:
    solved_at = [at for task in tasks if (at := _solved_at(task)) is not None]
    mean = sum(solved_at) / len(solved_at) if solved_at else None
    seconds = _median([one for task in tasks for one in _seconds(task.attempts)])
    return TaskQuality(task_id, len(tasks), len(solved_at), mean, seconds)


def _solved_at(task: TaskRecord) -> int | None:
    return next((attempt.number for attempt in task.attempts if attempt.solved), None)


def _repeated(task: TaskRecord) -> int:
    """How many attempts repeat the action of an earlier one that did not solve the task."""
    failed: set[tuple[float | None, ...]] = set()
    count = 0
    for attempt in task.attempts:
        action = tuple(attempt.action)
        count += action in failed
        if not attempt.solved:
            failed.add(action)
    return count


def _seconds(attempts: Iterable[AttemptRecord]) -> list[float]:
    return [seconds for attempt in attempts if (seconds := attempt.seconds) is not None]


def _median(values: Sequence[float]) -> float | None:
    return median(values) if values else None
