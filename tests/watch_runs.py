"""A folder of run logs of all benchmarks, made by quick evaluations, for tests of the pages that show them."""

from pathlib import Path

import numpy as np

from tumble.benchmark import benchmark, open_study
from tumble.comphy.evaluation.run_spec import ComPhyRunSpec
from tumble.comphy.generation.generate import generate
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyre.catalogue.tasks_by_id import task
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.simulation.actions import sample_valid
from tumble.studies.export import export_study
from tumble.studies.store import Store
from tumble.studies.study import Move

SETTING = "ball_within_template"
LEVELS = ("1.1:000", "10.1:000", "15.1:000")
STUDY = f"""
benchmark = "phyre"
title = "Balls"
attempts = 3
[tasks]
setting = "{SETTING}"
limit = 2
"""


def phyre_runs(folder: Path) -> Path:
    """Two agents and a person at the same PHYRE tasks; returns the folder."""
    phyre = benchmark("phyre")
    for agent in ("rand", "mem"):
        phyre.run(PhyreRunSpec(agent, SETTING, limit=2, attempts=20), folder)
    file = folder / "study" / "pilot.toml"
    file.parent.mkdir()
    file.write_text(STUDY)
    with open_study(file) as store:
        _take_part(store)
        export_study(store, folder / "people")
    return folder


def phyq_runs(folder: Path) -> Path:
    """Two agents at the same Phy-Q levels; returns the folder."""
    for agent in ("random", "pig_shooter"):
        benchmark("phyq").run(PhyQRunSpec(agent, "tasks", LEVELS, attempts=2), folder)
    return folder


def comphy_runs(folder: Path, data: Path) -> Path:
    """Two models at the sets of a new dataset; returns the folder."""
    generate(data, 3, 1, (48, 32), workers=1)
    for agent in ("random", "oracle"):
        benchmark("comphy").run(ComPhyRunSpec(agent, str(data), "test"), folder)
    return folder


def _take_part(store: Store) -> None:
    """A person who places a ball somewhere, attempt after attempt, after two seconds."""
    code = store.begin()
    step = store.next_task(code)
    rng = np.random.default_rng(0)
    while step.is_task:
        one = task(step.task)
        (action,) = sample_valid(one.scene, one.tier, 1, rng)
        store.seen(code, step.position, step.attempt)
        move = Move(step.position, step.attempt, step.part, tuple(map(float, action)), 1000.0, 2000.0)
        step = store.attempt(code, move).step
