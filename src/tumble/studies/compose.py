"""The report of a study as a document: progress, participants with what looks wrong, and tasks."""

from tumble.output import plural
from tumble.report.cells import Cell, count_cell, number_cell
from tumble.report.document import Document
from tumble.studies.quality import ParticipantQuality, participant_quality, task_quality
from tumble.studies.records import read_records
from tumble.studies.store import Store

FINE = "nothing"


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
        "Participants, and what looks wrong",
        ["code", "tasks", "solved", "given up", "attempts", "time to think, s", "fast", "repeated", "problems"],
        [_row(person) for person in people],
        dimmed=[number for number, person in enumerate(people) if person.problems],
    )
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


def _row(person: ParticipantQuality) -> list[str | Cell]:
    counts = (person.solved, person.given_up, person.attempts)
    return [
        person.code,
        f"{person.tasks_done} of {person.tasks}",
        *map(count_cell, counts),
        number_cell(person.median_seconds),
        count_cell(person.fast),
        count_cell(person.repeated),
        "; ".join(person.problems) or FINE,
    ]
