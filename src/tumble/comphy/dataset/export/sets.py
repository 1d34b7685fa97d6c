"""Writing the sets of a dataset one by one under new numbers, and the questions of each split."""

from collections.abc import Callable, Mapping
from pathlib import Path
from shutil import copyfile

from tumble.comphy.dataset.export.card import Summary
from tumble.comphy.dataset.export.numbering import Numbered
from tumble.comphy.dataset.json_files import DataError, Fault
from tumble.comphy.dataset.layout import QUESTION_FILES, SPLITS, Split
from tumble.comphy.dataset.load import Dataset
from tumble.comphy.dataset.question_files import without_answers, write_questions
from tumble.comphy.dataset.submission import answers_of, write_submission
from tumble.comphy.tasks.constants import REFERENCE_COUNT
from tumble.comphy.tasks.question import QuestionSet
from tumble.progress import bar
from tumble.scene.files import whole_file


def write_sets(
    data: Dataset, numbers: Mapping[int, int], summary: Summary, write: Callable[[Numbered], None]
) -> dict[Split, list[QuestionSet]]:
    """Writes every set with a function; returns the questions of each split that has sets, by new number.

    A set that can't be read is added to the dataset's faults; its place in the list has no questions.
    """
    questions: dict[Split, list[QuestionSet]] = {}
    with bar("Exporting", len(numbers)) as advance:
        for split in SPLITS:
            for old in sorted(data.indices(split), key=numbers.__getitem__):
                of_split = questions.setdefault(split, [])
                try:
                    one = Numbered(data.example(old), numbers[old])
                    write(one)
                    summary.add(one.example)
                    of_split.append(one.questions)
                except DataError as error:
                    data.faults.append(Fault(f"set {old:05d}", str(error)))
                    of_split.append(QuestionSet(numbers[old], ()))
                advance(1)
    return questions


def write_question_files(folder: Path, questions: Mapping[Split, list[QuestionSet]]) -> None:
    """Writes train.json, val.json and test.json, the last without answers, which are in test_answers.json if known."""
    for split, sets in questions.items():
        is_test = split == "test"
        path = folder / f"{QUESTION_FILES[split]}.json"
        write_questions(path, [without_answers(each) for each in sets] if is_test else sets)
        if is_test and has_answers(sets):
            write_submission(folder / "test_answers.json", sets, answers_of(sets))


def has_answers(sets: list[QuestionSet]) -> bool:
    """Whether every question has its answer."""
    return all(
        answered.answer is not None
        for questions in sets
        for question in questions.questions
        for answered in question.choices or (question,)
    )


def check_references(one: Numbered) -> None:
    """An error if a set lacks references."""
    if len(one.example.videos.references) != REFERENCE_COUNT:
        raise DataError(f"it has {len(one.example.videos.references)} references; this format needs {REFERENCE_COUNT}")


def copy_whole(source: Path, target: Path) -> None:
    """Copies a file, whole or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(target) as partial:
        copyfile(source, partial)
