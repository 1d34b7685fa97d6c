"""The report of a study: how far it is, what people did in it, and what looks wrong with their data.

All numbers are made in one pass over the database, participant by participant, beside the participants who write: of
each person only their numbers are kept, and of each attempt only the time to think.
"""

import sqlite3
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from math import isnan, nan
from statistics import median

import numpy as np

from tumble.output import plural
from tumble.report.document import Cell, Document, count_cell, number_cell
from tumble.report.figures import Line, Style, lines
from tumble.studies.store import Store

FAST_SECONDS = 0.5
"""Attempts that are released sooner were hardly thought about."""
MANY_FAST = 0.2
"""The share of fast attempts from which on a participant is suspicious."""

_PARTS_SQL = """
SELECT position, part, action, received, released_ms, solved, CASE WHEN released_ms IS NULL THEN (
    SELECT at FROM seen WHERE (participant, position, attempt) = (p.participant, p.position, p.attempt)) END
FROM parts p WHERE participant = ? AND status IS NOT NULL ORDER BY position, attempt, part
"""


@dataclass(frozen=True)
class ParticipantQuality:
    """A participant in numbers; practice is left out."""

    number: int
    code: str
    last: float
    """When the last attempt arrived, or else when the participant began, in seconds since 1970."""
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


@dataclass(frozen=True)
class StudyProgress:
    """A study in numbers."""

    people: Sequence[ParticipantQuality]
    """Those who began, by number."""
    unused: Sequence[str]
    """Codes of those who did not."""
    by_attempt: Sequence[AttemptQuality]
    by_task: Sequence[TaskQuality]

    @property
    def finished(self) -> int:
        """How many participants have done all."""
        return sum(person.finished for person in self.people)


def read_progress(store: Store) -> StudyProgress:
    """The numbers of a study as it is now; actions without a result are left out (`Store.finish_all`)."""
    practice, asks = len(store.study.practice), bool(store.study.questions)
    people: list[ParticipantQuality] = []
    unused: list[str] = []
    counts = _Counts()
    with store.database.reading() as db:
        rows = db.execute("SELECT number, code, begun, answered IS NOT NULL FROM participants ORDER BY number")
        for number, code, begun, answered in rows:
            if begun is None:
                unused.append(code)
                continue
            tasks = _tasks_of(db, number)
            last = max((task.last for task in tasks.values()), default=0.0) or begun
            counted = {position: task for position, task in tasks.items() if position >= practice}
            order = store.order(number)
            finished = (answered or not asks) and sum(task.done for task in tasks.values()) == len(order)
            people.append(
                _quality_of_participant(number, code, last, counted.values(), len(order) - practice, finished)
            )
            for position, task in counted.items():
                if task.done:
                    counts.add(order[position], task)
    return StudyProgress(people, unused, counts.by_attempt(), counts.by_task())


@dataclass
class _Task:
    """What a participant did at a task; lists have an element for each attempt."""

    seconds: list[float] = field(default_factory=list)
    """To think: until the release of the first part by the page's clock, else by the server's; NaN where neither is."""
    actions: list[str] = field(default_factory=list)
    solved: list[int] = field(default_factory=list)
    last: float = 0.0
    """When the last part arrived."""
    done: bool = False
    given_up: bool = False

    @property
    def solved_at(self) -> int | None:
        """The first attempt that solved it, from 1."""
        return self.solved.index(1) + 1 if 1 in self.solved else None

    @property
    def repeated(self) -> int:
        """How many attempts repeat the action of an earlier one that did not solve the task."""
        if len(set(self.actions)) == len(self.actions):
            return 0
        failed: set[str] = set()
        count = 0
        for action, solved in zip(self.actions, self.solved, strict=True):
            count += action in failed
            if not solved:
                failed.add(action)
        return count


def _tasks_of(db: sqlite3.Connection, number: int) -> dict[int, _Task]:
    """What a participant did, by the position of the task."""
    tasks: defaultdict[int, _Task] = defaultdict(_Task)
    for position, part, action, received, released_ms, solved, seen in db.execute(_PARTS_SQL, (number,)):
        task = tasks[position]
        if part == 1:
            told = nan if seen is None else received - seen
            task.seconds.append(told if released_ms is None else released_ms / 1000.0)
            task.actions.append(action)
            task.solved.append(solved)
        else:
            task.actions[-1] += action
            task.solved[-1] = solved
        if received > task.last:
            task.last = received
    for position, given_up in db.execute("SELECT position, given_up FROM done WHERE participant = ?", (number,)):
        tasks[position].done, tasks[position].given_up = True, bool(given_up)
    return tasks


def _quality_of_participant(
    number: int, code: str, last: float, own: Collection[_Task], count: int, finished: bool
) -> ParticipantQuality:
    """The numbers of a participant, and what looks wrong, given what they did of so many tasks."""
    attempts, done = sum(len(task.seconds) for task in own), sum(task.done for task in own)
    seconds = sorted(one for task in own for one in task.seconds if not isnan(one))
    fast, repeated = bisect_left(seconds, FAST_SECONDS), sum(task.repeated for task in own)
    problems = []
    if not finished:
        problems.append("unfinished" if done < count else "questions not answered")
    if attempts and fast >= MANY_FAST * attempts:
        problems.append(f"{fast} of {attempts} attempts within {FAST_SECONDS:g} s")
    if repeated:
        problems.append(f"{repeated} identical actions repeated")
    return ParticipantQuality(
        number=number,
        code=code,
        last=last,
        tasks_done=done,
        tasks=count,
        finished=finished,
        attempts=attempts,
        solved=sum(task.solved_at is not None for task in own),
        given_up=sum(task.given_up for task in own),
        median_seconds=median(seconds) if seconds else None,
        fast=fast,
        repeated=repeated,
        problems=tuple(problems),
    )


class _Counts:
    """Counts over all participants, of tasks that they finished: a few numbers of each task and of each attempt."""

    def __init__(self) -> None:
        self._tasks: dict[str, int] = {}
        """The numbers of tasks, by id."""
        self._done, self._solved_at = array("i"), array("i")
        """Of each finished task: its number, and the attempt that solved it, 0 for none."""
        self._task, self._attempt, self._seconds = array("i"), array("i"), array("d")
        """Of each attempt: the number of its task, its own number, and the time to think."""

    def add(self, task_id: str, task: _Task) -> None:
        """Adds a task that a participant finished."""
        number, made = self._tasks.setdefault(task_id, len(self._tasks)), len(task.seconds)
        self._done.append(number)
        self._solved_at.append(task.solved_at or 0)
        self._task.extend([number] * made)
        self._attempt.extend(range(made))
        self._seconds.extend(task.seconds)

    def by_attempt(self) -> list[AttemptQuality]:
        """The numbers of the first, second, … attempts."""
        seconds = _grouped(self._attempt, self._seconds)
        solved = np.bincount(self._solved_at, minlength=len(seconds) + 1) if self._done else np.zeros(1, int)
        within = np.cumsum(solved[1:]) / max(1, len(self._done))
        return [
            AttemptQuality(number, len(own), float(within[number - 1]), _quartiles(own))
            for number, own in enumerate(seconds, start=1)
        ]

    def by_task(self) -> list[TaskQuality]:
        """The numbers of all tasks that a participant finished, by id."""
        solved_at = _grouped(self._done, self._solved_at)
        seconds = _grouped(self._task, self._seconds, len(self._tasks))
        found = []
        for task_id, number in sorted(self._tasks.items()):
            solved = solved_at[number][solved_at[number] > 0]
            quartiles = _quartiles(seconds[number])
            mean = float(solved.mean()) if len(solved) else None
            found.append(TaskQuality(task_id, len(solved_at[number]), len(solved), mean, quartiles and quartiles[1]))
        return found


def _grouped(keys: "array[int]", values: "array[int] | array[float]", least: int = 0) -> list[np.ndarray]:
    """The values of the keys 0, 1, …, of so many at least."""
    counts = np.bincount(keys, minlength=least) if keys else np.zeros(least, int)
    order = np.argsort(keys, kind="stable")
    return np.split(np.asarray(values)[order], np.cumsum(counts)[:-1]) if len(counts) else []


def _quartiles(seconds: np.ndarray) -> tuple[float, float, float] | None:
    known = seconds[~np.isnan(seconds)]
    if not len(known):
        return None
    low, middle, high = np.quantile(known, (0.25, 0.5, 0.75))
    return float(low), float(middle), float(high)


PEOPLE_STYLE = Style("#1f77b4")


def compose_report(store: Store, progress: StudyProgress, most: int | None = None) -> Document:
    """The report of a study's progress, with so many participants in its list at most; by default all."""
    people = progress.people
    listed = people[:most]
    document = Document(f"Study {store.file.name}: {store.study.title}")
    document.text(
        f"{plural(len(people), 'participant')} began, {progress.finished} finished; "
        f"{plural(len(progress.unused), 'code')} not used. "
        f"{len(store.tasks.ids)} tasks, {plural(store.study.attempts, 'attempt')} allowed at each, "
        f"{len(store.study.practice)} for practice, which are left out here. Physics {store.tasks.physics}."
    )
    if not people:
        return document
    document.heading("Participants")
    document.table(
        "Participants: tasks done and solved, median time to think before an attempt, attempts that were very fast, "
        "and actions that were repeated after they had failed",
        ["participant", "tasks", "solved", "given up", "attempts", "to think, s", "fast", "repeated"],
        [_participant_row(person) for person in listed],
        dimmed=[number for number, person in enumerate(listed) if person.problems],
    )
    if len(listed) < len(people):
        document.text(f"{len(people) - len(listed):,} more are in the page that --out writes.")
    for person in listed:
        if person.problems:
            document.text(f"Participant {person.number}: {'; '.join(person.problems)}.")
    _add_attempts(document, progress.by_attempt)
    document.heading("Tasks")
    document.table(
        "Tasks, over participants who finished them: time to think is the median before an attempt",
        ["task", "participants", "solved", "attempts until solved", "time to think, s"],
        [
            [
                task.task,
                count_cell(task.participants),
                count_cell(task.solved),
                number_cell(task.mean_attempts),
                number_cell(task.median_seconds),
            ]
            for task in progress.by_task
        ],
    )
    return document


def _add_attempts(document: Document, attempts: Sequence[AttemptQuality]) -> None:
    """Adds how many tasks were solved within 1, 2, … attempts, and how long people thought before each."""
    if not attempts:
        return
    document.heading("Attempts")
    document.table(
        "Attempts, over all participants and tasks that they finished",
        ["attempt", "made", "tasks solved within, %", "time to think, s"],
        [
            [
                str(one.number),
                count_cell(one.made),
                number_cell(100.0 * one.solved_within),
                number_cell(None if one.seconds is None else one.seconds[1]),
            ]
            for one in attempts
        ],
    )
    names = [str(one.number) for one in attempts]
    solved = Line("people", PEOPLE_STYLE, range(len(attempts)), [100.0 * one.solved_within for one in attempts])
    timed = [(number, one.seconds) for number, one in enumerate(attempts) if one.seconds is not None]
    document.figure(
        lines({"": [solved]}, "attempts", "tasks solved, %", names), "Tasks solved within a number of attempts."
    )
    if timed:
        band = [seconds[0] for _, seconds in timed], [seconds[2] for _, seconds in timed]
        thought = Line("people", PEOPLE_STYLE, [k for k, _ in timed], [seconds[1] for _, seconds in timed], band)
        document.figure(
            lines({"": [thought]}, "attempt", "time to think, s", names),
            "Time to think before each attempt: median, and the middle half.",
        )


def _participant_row(person: ParticipantQuality) -> list[str | Cell]:
    counts = (person.solved, person.given_up, person.attempts)
    return [
        str(person.number),
        f"{person.tasks_done} of {person.tasks}",
        *map(count_cell, counts),
        number_cell(person.median_seconds),
        count_cell(person.fast),
        count_cell(person.repeated),
    ]
