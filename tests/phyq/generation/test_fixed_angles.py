"""One angle for every bird: wins by angle, caps, and blocks that keep them."""

from dataclasses import replace

import numpy as np
import pytest

from tumble.phyq.catalogue.level import Level, Pig
from tumble.phyq.catalogue.templates import template
from tumble.phyq.catalogue.trajectory import DISCRETE_ANGLES
from tumble.phyq.generation import blocks
from tumble.phyq.generation.blocks import make_block, make_pilot
from tumble.phyq.generation.checks import BLOCK_SIZE, FIXED_ANGLE_CAP, WON_BY_COMMON_ANGLE, fixed_angle_wins, most_wins
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator, play

ONE = Level(("red",), (Pig("small", 0.0, -3.26683),))
TWO = Level(("red", "red"), (Pig("big", 1.0, -3.0),))


def test_every_bird_repeats_each_angle() -> None:
    wins = fixed_angle_wins(Simulator([ONE, TWO]))
    assert wins.shape == (2, 180)
    for level, own in zip((ONE, TWO), wins, strict=True):
        for k in (*np.flatnonzero(own)[:2].tolist(), 10, 100):
            shots = [Shot(DISCRETE_ANGLES[k])] * len(level.birds)
            assert play(level, [shots]).won[0] == own[k]
    assert wins[0].any()


def test_no_levels_have_no_wins() -> None:
    assert fixed_angle_wins(Simulator([])).shape == (0, 180)


def test_caps() -> None:
    assert most_wins(template("3.1")) == int(FIXED_ANGLE_CAP * BLOCK_SIZE)
    assert most_wins(template("1.1")) is None
    assert most_wins(template("14.1")) is None
    assert most_wins(replace(template("1.1"), fixed_angle_cap=0.1)) == 2
    assert most_wins(replace(template("3.1"), fixed_angle_cap=0.0)) == 0


@pytest.mark.parametrize("cap", [0.05, 0.5])
def test_a_block_keeps_its_cap(cap: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "PILOTS", 3)
    monkeypatch.setattr(blocks, "MOST_DRAWS", 3)
    design = replace(template("3.2"), fixed_angle_cap=cap, direct_shots_may_win="in this test", rule=None)
    result = make_block(make_pilot(design), first=0, count=4)
    levels = [design.draw(int(task_id.split(":")[1]), draw) for task_id, draw in result.accepted.items()]
    assert levels
    wins = fixed_angle_wins(Simulator(levels))
    assert wins.sum(axis=0).max() <= cap * BLOCK_SIZE
    assert result.drawn == len(levels) + sum(result.rejected.values())
    if cap == 0.05:
        assert result.rejected[WON_BY_COMMON_ANGLE] == sum(result.rejected.values()) > 0
