"""Run specifications of Phy-Q, as they are read from logs."""

import pytest

from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.runs.log import LogError


def test_other_fields_must_be_there() -> None:
    header = PhyQRunSpec("pig_shooter", only=("3",), limit=1).header()
    header.spec.pop("attempts")
    header.spec["colour"] = "red"
    with pytest.raises(LogError, match="differ from those of phyq runs: attempts, colour"):
        PhyQRunSpec.from_header(header)
