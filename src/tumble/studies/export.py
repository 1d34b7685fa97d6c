"""Run logs of a study: one for each participant, by the agent `people`, which all commands for logs accept."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

from tumble.runs import archive
from tumble.runs.log import SUFFIX, Row, TaskUpdate, open_log
from tumble.runs.result import NO_PROPOSAL
from tumble.runs.run_spec import RunSpec
from tumble.studies.errors import StudyError
from tumble.studies.records import ParticipantRecord, TaskRecord, read_records
from tumble.studies.store import Store
from tumble.studies.study_tasks import StudyTasks

NO_TIMES = {"seen": None, "touched_ms": None, "released_ms": None}


def export(store: Store, folder: Path) -> list[Path]:
    """Writes the run logs of all participants who finished a task, each whole or not at all; returns their paths.

    Logs of an earlier export are replaced. Logs of participants who have not finished are unfinished.
    """
    store.finish_all()
    begun = [record for record in read_records(store) if any(task.done for task in record.counted)]
    if not begun:
        raise StudyError(f"{store.file.path}: no participant has finished a task yet")
    folder.mkdir(parents=True, exist_ok=True)
    temporary = folder / f".{uuid4().hex}"
    try:
        temporary.mkdir()
        return [_export(record, store, folder, temporary) for record in begun]
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _export(record: ParticipantRecord, store: Store, folder: Path, temporary: Path) -> Path:
    spec = store.tasks.spec(store.file.name, record.number, folder)
    written = _write(record, spec, store.tasks, temporary, store.file.digest)
    target = folder / written.name
    written.replace(target)
    for suffix in {SUFFIX, archive.SUFFIX} - {target.suffix}:
        target.with_suffix(suffix).unlink(missing_ok=True)  # of an earlier export
    return target


def _write(record: ParticipantRecord, spec: RunSpec, tasks: StudyTasks, folder: Path, digest: str) -> Path:
    header = spec.header()
    details = {**header.details, "study_sha256": digest}  # the code is the participant's key, and stays in the database
    index = {task_id: number for number, task_id in enumerate(spec.task_ids())}
    with open_log(folder / spec.file_name(), header.model_copy(update={"details": details})) as log:
        for task in record.counted:
            if task.done:
                given_up = NO_PROPOSAL if task.given_up else ""
                log.append([TaskUpdate(task.task, _rows(task, tasks), index[task.task], True, given_up)])
        if all(task.done for task in record.counted):
            log.finish()
    return log.path


def _rows(task: TaskRecord, tasks: StudyTasks) -> Sequence[Row]:
    rows = [attempt.row() for attempt in task.attempts]
    return [{**NO_TIMES, **row} for row in tasks.rows_given_up(rows)] if task.given_up else rows
