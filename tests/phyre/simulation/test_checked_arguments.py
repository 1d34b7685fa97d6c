"""Wrong arguments of PHYRE's public functions are refused in words, before they change a result."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tumble import phyre
from tumble.errors import TumbleError

B = phyre.TIERS["B"]
ACTION = [[0.5, 0.9, 0.1]]
NAN = float("nan")


def test_a_simulator_takes_ids_tasks_and_dictionaries() -> None:
    ids = ["00000:000", "00013:042"]
    expected = tuple(map(phyre.task, ids))
    for tasks in (ids, expected, [ids[0], expected[1]], dict(zip(ids, expected, strict=True)), iter(ids)):
        simulator = phyre.Simulator(tasks)
        assert (simulator.tasks, simulator.tier) == (expected, B)
    assert phyre.Simulator([], "2B").tier.balls == 2
    assert phyre.Simulator(["00100:000"]).tier.balls == 2


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (([],), "tier must be given, or be the same for all tasks: there are none"),
        ((["00000:000", "00100:000"],), "the same for all tasks: 00100:000 of 2B and 00000:000 of B"),
        ((["00000:000"], "2B"), "task 00000:000 is of tier B, not 2B"),
        (("00000:000",), r"tasks must be a list, as in \[\"00000:000\"\], not '00000:000'"),
        ((phyre.task("00000:000"),), "tasks must be a list, as in .task., not the single task 00000:000"),
        (([3],), "tasks must be tasks or ids, as in 00000:000, not 3"),
        ((["00000"],), "no task '00000': an id is a template and a number"),
        ((["00000:000", "00000:000"],), "two tasks have the same id"),
        ((["00000:000"], "C"), "no tier 'C'; there are B, 2B"),
        ((["00000:000"], ["B"]), "no tier"),
        ((["00000:000"], "B", "cpu", -1), "threads must be a whole number from 0"),
    ],
)
def test_wrong_simulators_are_refused(arguments: tuple[Any, ...], why: str) -> None:
    with pytest.raises(TumbleError, match=why):
        phyre.Simulator(*arguments)


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda one: one.pairs("00000:000", ACTION * 9), "task_ids must be a list"),
        (lambda one: one.sweep(ACTION, "00000:000"), "task_ids must be a list"),
        (lambda one: one.sweep(ACTION, [3]), "no task 3 in this simulator"),
        (lambda one: one.pairs(["00000:000"], [[0.5, NAN, 0.5]]), "action 0 leaves the unit cube"),
        (lambda one: one.pairs(["00000:000"], [0.5, 0.5, 0.5]), r"shape \[n, 3\], not \[3\]"),
        (lambda one: one.simulate("00000:000", ACTION[0], stride=1.5), "stride must be a whole number, 1 or more"),
        (lambda one: one.simulate("00000:000", ACTION[0], want="poses"), "an attempt has no 'poses'"),
    ],
)
def test_wrong_simulations_are_refused(call: Callable[[phyre.Simulator], object], why: str) -> None:
    with pytest.raises(TumbleError, match=why):
        call(phyre.Simulator(["00000:000"]))


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: phyre.actions.fixed_set(B, -1), "count must be a whole number, 0 or more, not -1"),
        (lambda: phyre.actions.fixed_set(B, 1.5), "count must be a whole number, 0 or more, not 1.5"),
        (lambda: phyre.actions.fixed_set(B, 10, seed=-1), "seed must be a whole number, 0 or more"),
        (lambda: phyre.actions.fixed_set("C", 10), "no tier 'C'"),
        (lambda: phyre.actions.action_set(B, 10, -1), "number must be a whole number, 0 or more"),
        (
            lambda: phyre.actions.sample_valid(phyre.task("00000:000").scene, B, -1, np.random.default_rng(0)),
            "count must be a whole number, 0 or more",
        ),
        (lambda: phyre.actions.within_scene(np.zeros(3)), r"shape \[n, 3\] or \[n, 6\], not \[3\]"),
        (lambda: phyre.actions.placed_balls(np.array([["a", "b", "c"]])), "an array of numbers"),
        (lambda: phyre.actions.from_balls(np.zeros((2, 3))), r"shape \[n, balls, \(x, y, radius\)\], not \[2, 3\]"),
        (lambda: phyre.observe.padded(np.zeros((2, 14)), -1), "rows must be a whole number, 1 or more"),
        (lambda: phyre.task(13), "no task 13: an id is a template and a number"),
        (lambda: phyre.task("00013:" + "9" * 5000), "no task"),
        (lambda: phyre.tasks("C"), "no tier 'C'"),
    ],
)
def test_wrong_actions_and_ids_are_refused(call: Callable[[], object], why: str) -> None:
    with pytest.raises(TumbleError, match=why):
        call()


def test_tiers_are_accepted_by_name() -> None:
    np.testing.assert_array_equal(phyre.actions.fixed_set("2B", 5), phyre.actions.fixed_set(phyre.TIERS["2B"], 5))


def test_an_own_task_with_another_tier_is_refused() -> None:
    with pytest.raises(TumbleError, match="no tier 'C'"):
        replace(phyre.task("00000:000"), tier="C")
