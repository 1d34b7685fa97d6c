"""Wrong arguments of Phy-Q's public functions are refused in words, before they change a result."""

from collections.abc import Callable

import numpy as np
import pytest

from tumble import phyq
from tumble.errors import TumbleError
from tumble.phyq.simulation.shots import table_of

TASK = phyq.task("1.4:000")
NAN = float("nan")
RATES = dict.fromkeys(range(1, 16), 0.5)


def test_a_simulator_takes_ids_tasks_and_levels() -> None:
    worlds = [phyq.Simulator(levels).worlds[0].level for levels in (["1.4:000"], [TASK], [TASK.level])]
    assert worlds == [TASK.level] * 3


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: phyq.Simulator("1.4:000"), "levels must be a list, as in .level., not the single '1.4:000'"),
        (lambda: phyq.Simulator(TASK.level), "levels must be a list"),
        (lambda: phyq.Simulator(["1.4"]), "no task '1.4': an id is a template and a number"),
        (lambda: phyq.Simulator([3]), "a level must be a Level, a Task or the id of a task, as in 6.4:017, not 3"),
        (lambda: phyq.play(TASK, [phyq.Shot(10.0)]), "an episode must be a list of shots"),
        (lambda: phyq.play(TASK, [[10.0]]), "an episode must be a list of shots, as in .Shot.42.0.., not of 10.0"),
        (lambda: phyq.play(TASK, [[phyq.Shot(10.0)]], stride=0), "stride must be a whole number, 1 or more"),
        (lambda: phyq.play(TASK, [[phyq.Shot(10.0)]], want="poses"), "an episode has no 'poses'"),
        (lambda: phyq.Simulator([TASK]).play([0.5], [[phyq.Shot(10.0)]]), "level_of must be a list of indices"),
        (
            lambda: phyq.Simulator([TASK]).play([1], [[phyq.Shot(10.0)]]),
            "level_of must be indices of levels, from 0 to 0",
        ),
        (lambda: phyq.Simulator([TASK]).settle(NAN), "seconds must be a number, 0 or more, not nan"),
        (lambda: phyq.Shot(NAN), "angle must be a number from -180 to 180"),
        (lambda: phyq.shot_from((NAN, 0.0)), "x of point must be a number, not nan"),
        (lambda: table_of([10.0, 20.0], [1.0, 1.0, 1.0]), "stretches must have the shape of angles"),
        (lambda: table_of([10.0], counts=[2]), "counts must be 1 whole numbers from 0 to 1"),
        (lambda: table_of(np.zeros((1, 1, 1))), r"angles must have the shape"),
        (lambda: phyq.task(3), "no task 3"),
        (lambda: phyq.task_ids(scenario=3, template_id="6.4"), "template 6.4 is of scenario 6, not 3"),
        (lambda: phyq.local(3), "no template 3"),
        (lambda: phyq.broad(16), "no scenario 16"),
        (lambda: phyq.pass_rates([("1.1:000", 0.5)]), "an attempt passed or not"),
        (lambda: phyq.by_template({"1.1:000": NAN}), "the pass rate of 1.1:000 must be a number from 0 to 1, not nan"),
        (lambda: phyq.by_scenario({"one": 0.5}), "'one' is no template"),
        (lambda: phyq.phy_q({**RATES, 7: 50.0}), "the pass rate of scenario 7 must be a number from 0 to 1, not 50.0"),
    ],
)
def test_wrong_arguments_are_refused(call: Callable[[], object], why: str) -> None:
    with pytest.raises(TumbleError, match=why):
        call()
