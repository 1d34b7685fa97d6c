"""A few collected shots and a small network trained on them, for all tests of the ranker."""

from pathlib import Path

import pytest
import torch

from tumble.learning.harness import Budget
from tumble.phyq.catalogue.tasks import cached_task
from tumble.phyq.models.ranker.collect import Collected, Plan, collect, write_shots
from tumble.phyq.models.ranker.training import train_ranker

TASKS = ("5.1:000", "6.3:000", "15.1:000", "13.3:000")
SETTINGS = {"width": 16, "layers": 1, "heads": 2, "scenes": 4, "shots": 6, "winning": 2}


@pytest.fixture(scope="session")
def collected() -> Collected:
    levels = [cached_task(task_id).level for task_id in TASKS]
    plan = Plan(first=30, later=8, near=6, branches=2)
    return collect(levels, [task_id.partition(":")[0] for task_id in TASKS], plan, seed=5)


@pytest.fixture(scope="session")
def shot_file(collected: Collected, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shots") / "shots.npz"
    write_shots(path, collected)
    return path


@pytest.fixture(scope="session")
def checkpoint(shot_file: Path) -> Path:
    out = shot_file.with_name("ranker.pt")
    train_ranker(
        shot_file, out, Budget(steps=3), torch.device("cpu"), settings=SETTINGS, export=out.with_name("half.pt")
    )
    return out.with_name("half.pt")
