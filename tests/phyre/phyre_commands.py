"""Runs `tumble phyre` commands and reads what they print."""

import re
from functools import partial

import numpy as np

import command_line
from tumble.phyre.simulation.actions import from_balls

run = partial(command_line.run, "phyre")
printed = partial(command_line.printed, "phyre")
refusal = partial(command_line.refusal, "phyre")


def row(text: str, first: str) -> list[str]:
    """The cells of a table's row."""
    (line,) = [line for line in text.splitlines() if line.split()[:1] == [first]]
    return re.split(r"\s{2,}", line.strip())


def placed(*balls: tuple[float, float, float]) -> list[float]:
    """The numbers that place balls given in pixels."""
    return from_balls(np.array([balls]))[0].tolist()
