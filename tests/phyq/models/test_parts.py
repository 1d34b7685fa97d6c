"""The parts of a setting: which tasks each network trains on."""

from tumble.phyq.catalogue.tasks import broad, local
from tumble.phyq.models.learner import OWN_TASKS, part_of_training, part_with_fewer_tasks, parts_of


def test_training_tasks_name_their_part() -> None:
    assert part_of_training(broad(3).train).label == "broad-03"
    assert part_of_training(local("6.4").train).label == "local-6.4"


def test_other_tasks_are_a_part_of_their_own() -> None:
    few, others = (part_of_training(ids) for ids in (broad(3).train[:5], broad(3).train[:6]))
    assert few.setting == OWN_TASKS
    assert few.split.train == broad(3).train[:5]
    assert few.label.startswith("own-")
    assert few.label != others.label


def test_fewer_training_tasks_leave_the_test_tasks() -> None:
    (part,) = parts_of("broad", ["3"])
    few = part_with_fewer_tasks(part, 2, 3)
    assert few.split.train == ["3.1:000", "3.1:001", "3.1:002", "3.2:000", "3.2:001", "3.2:002"]
    assert few.split.test == part.split.test
    assert part_with_fewer_tasks(part, None, None).split.train == part.split.train
