"""RAND and MEM on fold 0: the names of their logs and every attempt stay as they were in version 0.1.0."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from tumble.phyre.benchmark import PHYRE
from tumble.phyre.evaluation.run_spec import PhyreRunSpec

GOLDEN = {
    "phyre-mem-ball_cross_template-0-37889bb4": "26b083b0c9f31581",
    "phyre-mem-ball_within_template-0-78aeda70": "8fc901c6ac841084",
    "phyre-mem-two_balls_cross_template-0-06a2dca7": "a7e340d980366797",
    "phyre-mem-two_balls_within_template-0-64f0d84f": "f67c1fbeada20843",
    "phyre-rand-ball_cross_template-0-c919fbc2": "1abe7ae59f509a63",
    "phyre-rand-ball_within_template-0-8aaebb2e": "c629453d9f836cd5",
    "phyre-rand-two_balls_cross_template-0-8c43452d": "cc62e3d4ad20a301",
    "phyre-rand-two_balls_within_template-0-79b5d3c7": "332b014759110f4b",
}
"""By the log's name, the beginning of the SHA-256 of its rows."""
FIELDS = ("task", "attempt", "action", "status", "steps")


@pytest.mark.slow
@pytest.mark.parametrize("name", GOLDEN)
def test_runs_are_as_they_were(name: str, tmp_path: Path) -> None:
    _, agent, setting, fold, _ = name.split("-")
    log = PHYRE.run(PhyreRunSpec(agent, setting, int(fold)), tmp_path)
    assert log.path.name == f"{name}.jsonl.gz"
    rows = json.dumps([[row[field] for field in FIELDS] for row in log.rows()])
    assert sha256(rows.encode()).hexdigest()[:16] == GOLDEN[name]
