"""Run logs from dialogues with scripted answers, written as by the import of inspect_ai's logs."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tumble.llm.dialogue import Dialogue
from tumble.llm.puzzle import PuzzleSet
from tumble.runs.log import Log, TaskUpdate, open_log, read

Records = dict[str, list[dict[str, Any]]]


def records_of(puzzles: PuzzleSet, answers: Mapping[str, Sequence[str]]) -> Records:
    """The records of the attempts that counted, by puzzle, after all answers to it."""
    records: Records = {}
    for task_id, texts in answers.items():
        dialogue = Dialogue(puzzles.puzzle(task_id))
        for text in texts:
            assert not dialogue.over
            dialogue.reply(text)
        assert dialogue.over
        records[task_id] = [json.loads(json.dumps(dict(turn.record))) for turn in dialogue.turns if turn.counts]
    return records


def written_run(puzzles: PuzzleSet, records: Records, folder: Path) -> Log:
    """The log of these records, as it is read from its file."""
    spec = puzzles.spec("mockllm/model", {"temperature": 0.5})
    index = {task_id: number for number, task_id in enumerate(spec.task_ids())}
    rows = puzzles.task_rows(records)
    spec.write_tasks(folder)
    with open_log(folder / spec.file_name(), spec.header()) as log:
        for task_id in sorted(rows, key=index.__getitem__):
            log.append([TaskUpdate(task_id, rows[task_id], index[task_id], True)])
        if len(rows) == len(index):
            log.finish()
    return read(log.path)
