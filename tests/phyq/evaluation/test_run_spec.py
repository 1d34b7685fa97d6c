"""Run specifications of Phy-Q, as they are read from logs."""

import pytest

from tumble.phyq.benchmark import PHYQ
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.runs.log import LogError


def test_logs_from_before_the_fields_of_training_can_be_read() -> None:
    spec = PhyQRunSpec("pig_shooter", only=("3",), limit=1)
    header = spec.header()
    for name in ("train_on", "train_templates", "train_tasks"):
        header.spec.pop(name)
    assert PhyQRunSpec.from_header(header).task_ids() == spec.task_ids()
    result, earlier = (type("Result", (), {"header": one}) for one in (spec.header(), header))
    assert PHYQ.conditions(result) == PHYQ.conditions(earlier)


def test_other_fields_must_be_there() -> None:
    header = PhyQRunSpec("pig_shooter", only=("3",), limit=1).header()
    header.spec.pop("attempts")
    header.spec["colour"] = "red"
    with pytest.raises(LogError, match="differ from those of phyq runs: attempts, colour"):
        PhyQRunSpec.from_header(header)
