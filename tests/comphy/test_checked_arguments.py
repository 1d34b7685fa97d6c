"""Wrong arguments of ComPhy's public functions are refused in words, before they change a result."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tumble import comphy
from tumble.comphy.dataset.folder import CheckedFiles
from tumble.comphy.dataset.layout import Layout
from tumble.comphy.dataset.load import Dataset
from tumble.errors import TumbleError

CUBE = (comphy.Body("red", "metal", "cube"),)
STATE = comphy.InitialState.on_table(CUBE, np.zeros((1, 2)), np.zeros(1), np.zeros((1, 2)))
UNCHECKED = CheckedFiles(Path("nowhere"), None)
DATA = Dataset(Layout(Path("nowhere")), None, {0: "train"}, UNCHECKED)


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: comphy.make_set(-1, "mass", 1), "index must be a whole number, 0 or more, not -1"),
        (lambda: comphy.make_set(1, "mass", 1.5), "seed must be a whole number, not 1.5"),
        (lambda: comphy.make_set(1, "colour", 1), "no family 'colour'"),
        (lambda: comphy.simulate(CUBE, STATE, 0), "frames must be a whole number, 1 or more, not 0"),
        (lambda: comphy.simulate(CUBE * 2, STATE, 5), "2 bodies, but the initial state of 1"),
        (lambda: replace(STATE, velocities=np.full((1, 3), np.nan)), "velocities must be finite numbers"),
        (lambda: replace(STATE, orientations=np.zeros((1, 3))), r"orientations must be .* \[1, 4\], not \[1, 3\]"),
        (lambda: comphy.generate(Path("nowhere"), -1, 1), "sets must be a whole number from 1 to 1000000, not -1"),
        (lambda: comphy.generate(Path("nowhere"), 1, 0.5), "seed must be a whole number, not 0.5"),
        (lambda: comphy.generate(Path("nowhere"), 1, 1, options=9), "options must be a whole number from 2 to 4"),
        (lambda: comphy.OptionSettings(counterfactual=1), "the number of options must be a whole number from 2 to 4"),
        (lambda: comphy.OptionSettings(predictive={2: 1.5}), "the share of questions with 2 options must be a number"),
        (lambda: DATA.indices("tets"), "no split 'tets'; there are train, validation, test"),
        (lambda: DATA.example("0"), "there is no set 00000 in nowhere"),
    ],
)
def test_wrong_arguments_are_refused(call: Callable[[], object], why: str) -> None:
    with pytest.raises(TumbleError, match=why):
        call()


def test_families_of_sets_are_those_of_the_plan() -> None:
    """By them a limit of `score` spreads; the first half of the test split is of one family."""
    whole = Dataset(Layout(Path("nowhere")), None, dict.fromkeys((0, 10500, 11500), "test"), UNCHECKED)
    assert whole.families == {0: "mass", 10_500: "charge", 11_500: "mass"}
