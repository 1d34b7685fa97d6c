"""ComPhy's run logs on the pages for watching: the questions of a set, with given and right answers."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from tumble.comphy.catalogue.task import CORRECT, WRONG, Question
from tumble.comphy.catalogue.task import task_id as id_of_set
from tumble.comphy.evaluation.result import ALL_CORRECT, SEPARATOR, UNANSWERED
from tumble.comphy.evaluation.run_spec import ComPhyRunSpec
from tumble.errors import TumbleError
from tumble.runs.header import RunHeader
from tumble.runs.log import Row
from tumble.web import pages

MOST_RUNS = 8
"""Runs whose questions are kept."""
WORDS = {CORRECT: "yes", WRONG: "no"}
"""Answers to options in words: whether it happens."""
Questions = Mapping[tuple[str, int], Question]
"""By set and number in the log."""


class Replays(pages.Replays):
    """Nothing moves: a set's questions are told in words."""

    task_word = "set"
    attempt_word = "question"

    def outcome(self, row: Row) -> str:
        words = {ALL_CORRECT: "right", UNANSWERED: "not answered"}
        return f"{row['kind']}, {words.get(row['status'], 'wrong')}"

    def details(self, header: RunHeader, task_id: str, rows: Sequence[Row]) -> tuple[list[Any], str]:
        try:
            questions, remark = _questions(header.folder, header.model_dump_json()), ""
        except (TumbleError, OSError):
            remark = "The dataset of this run is not in the folders that were named, so its questions have no text."
            questions = {}
        return [_answered_question(row, questions.get((task_id, row["attempt"]))) for row in rows], remark


def _answered_question(row: Row, question: Question | None) -> dict[str, Any]:
    """A question with its answers; without its text where the dataset can't be read."""
    given = [row["answer"]] if row["kind"] == "factual" else row["answer"].split(SEPARATOR)
    right = row["correct"]
    if len(given) != len(right):
        given = [""] * len(right)
    options = list(question.choices) if question and len(question.choices) == len(right) else []
    parts = []
    for k, (answer, is_right) in enumerate(zip(given, right, strict=True)):
        option = options[k] if options else None
        truth = option.answer if option else question.answer if question and not question.choices else None
        label = option.text if option else "Answer" if row["kind"] == "factual" else f"Option {k + 1}"
        parts.append(
            {
                "text": label,
                "given": WORDS.get(answer, answer),
                "right": WORDS.get(truth or "", truth),
                "is_right": is_right,
            }
        )
    return {"text": question.text if question else row["family"], "parts": parts}


@lru_cache(maxsize=MOST_RUNS)
def _questions(folder: Path | None, header: str) -> Questions:
    """The questions of a run whose log is in a folder."""
    logged = RunHeader.model_validate_json(header)
    sets = ComPhyRunSpec.from_header(logged if folder is None else logged.read_from(folder / "log")).key()
    return {(id_of_set(one.index), question.id + 1): question for one in sets for question in one.questions}
