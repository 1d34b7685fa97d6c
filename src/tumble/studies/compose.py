"""The report of a study as a document: progress, participants with what looks wrong, and tasks."""

from collections.abc import Sequence

from tumble.output import plural
from tumble.report.cells import Cell, count_cell, number_cell
from tumble.report.document import Document
from tumble.report.figures import Line, Style, lines
from tumble.studies.quality import (
    AttemptQuality,
    ParticipantQuality,
    attempt_quality,
    participant_quality,
    task_quality,
)
from tumble.studies.records import read_records
from tumble.studies.store import Store

PEOPLE_STYLE = Style("#1f77b4")


def compose(store: Store) -> Document:
    """The report; actions without a result are simulated first."""
    store.finish_all()
    records = read_records(store)
    people = [participant_quality(record) for record in records if record.begun is not None]
    document = Document(f"Study {store.file.name}: {store.study.title}")
    finished = sum(person.finished for person in people)
    invited = len(records) - len(people)
    document.text(
        f"{plural(len(people), 'participant')} began, {finished} finished; {plural(invited, 'code')} not used. "
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
        [_row(person) for person in people],
        dimmed=[number for number, person in enumerate(people) if person.problems],
    )
    for person in people:
        if person.problems:
            document.text(f"Participant {person.number}: {'; '.join(person.problems)}.")
    _add_attempts(document, attempt_quality(records))
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
            for task in task_quality(records)
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


def _row(person: ParticipantQuality) -> list[str | Cell]:
    counts = (person.solved, person.given_up, person.attempts)
    return [
        str(person.number),
        f"{person.tasks_done} of {person.tasks}",
        *map(count_cell, counts),
        number_cell(person.median_seconds),
        count_cell(person.fast),
        count_cell(person.repeated),
    ]
