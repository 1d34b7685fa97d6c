"""study.toml: what is wrong with it is said in one line."""

from pathlib import Path

import pytest
from study_files import PHYQ, PHYRE, TOML, NumberTasks, study_file

from tumble.benchmark import benchmarks, open_study
from tumble.studies.store import task_order
from tumble.studies.study import StudyError, example_study, read_study


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("attempts = 3", "attempts = 0", "attempts: Input should be greater than or equal to 1"),
        ("attempts = 3", "", "attempts: Field required"),
        ("attempts = 3", "atempts = 3", "and 1 more"),
        ("seed = 4", 'order = "random"', "order: Input should be 'shuffled', 'rotated' or 'listed'"),
        ('practice = ["p"]', 'practice = ["p", "p"]', "a task is listed twice"),
        ('id = "how"', 'id = "How much?"', "questions.0.id"),
        ("[tasks]", "[tasks", "no valid TOML"),
        ("[tasks]", '[[questions]]\nid = "how"\ntext = "?"\n[tasks]', "two have the same id"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = study_file(tmp_path, TOML.replace(old, new))
    with pytest.raises(StudyError) as error:
        read_study(file)
    assert str(error.value).startswith(str(file))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_practice_must_be_other_tasks_that_exist(tmp_path: Path) -> None:
    for name, message in (("a", "is one of the study's tasks"), ("z", "practice: no task z")):
        study = read_study(study_file(tmp_path, TOML.replace('"p"', f'"{name}"'))).study
        with pytest.raises(StudyError, match=message):
            study.check(NumberTasks())


@pytest.mark.parametrize(
    ("toml", "old", "new", "message"),
    [
        (PHYRE, "limit = 3", "limits = 3", "tasks.limits: Extra inputs"),
        (PHYRE, "ball_within_template", "ball", "no setting 'ball'"),
        (PHYRE, "limit = 3", 'ids = ["00001:000"]', "give a setting, or ids"),
        (PHYRE, '"00000:001"', '"00100:000"', "tier 2B"),
        (PHYRE, '"phyre"', '"chess"', "no benchmark 'chess'"),
        (PHYRE, '"phyre"', '"comphy"', "ComPhy has no studies with people"),
        (PHYQ, '"10.1"', '"99.1"', "99.1"),
        (PHYQ, "limit = 1", 'setting = "wide"', "no setting 'wide'"),
    ],
)
def test_mistakes_of_a_benchmarks_tasks_are_named(tmp_path: Path, toml: str, old: str, new: str, message: str) -> None:
    assert old in toml
    with pytest.raises(StudyError, match=message):
        open_study(study_file(tmp_path, toml.replace(old, new)))


def test_missing_and_binary_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="No such file"):
        read_study(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(StudyError, match="UTF-8"):
        read_study(tmp_path / "bad.toml")


@pytest.mark.parametrize("name", [name for name, one in benchmarks().items() if one.study_example])
def test_the_examples_are_studies(tmp_path: Path, name: str) -> None:
    file = study_file(tmp_path, example_study(name, benchmarks()[name].study_example))
    store = open_study(file)
    assert store.study.practice
    assert len(store.tasks.ids) >= 4


def test_rotated_orders_have_every_task_at_every_position() -> None:
    ids = ["a", "b", "c"]
    orders = [task_order(ids, "rotated", 0, participant) for participant in range(3)]
    assert [sorted(column) for column in zip(*orders, strict=True)] == [ids] * 3
    assert task_order(ids, "listed", 5, 2) == ids
    shuffled = {tuple(task_order(ids, "shuffled", seed, 0)) for seed in range(30)}
    assert len(shuffled) == 6
