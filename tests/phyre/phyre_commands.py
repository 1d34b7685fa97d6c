"""Runs `tumble phyre` commands and reads what they print."""

import re

import numpy as np
from typer.testing import CliRunner, Result

from tumble.cli.app import app
from tumble.phyre.simulation.actions import from_balls

runner = CliRunner(env={"COLUMNS": "160", "TERM": "dumb"})


def run(*arguments: object) -> Result:
    return runner.invoke(app, ["phyre", *map(str, arguments)])


def printed(*arguments: object) -> str:
    """What a command prints on success."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def refusal(*arguments: object) -> str:
    """The one-line error message of a command."""
    result = run(*arguments)
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    (line,) = [line for line in result.stderr.splitlines() if not line.startswith("Warp ")]
    return line.removeprefix("tumble: ")


def row(text: str, first: str) -> list[str]:
    """The cells of a table's row."""
    (line,) = [line for line in text.splitlines() if line.split()[:1] == [first]]
    return re.split(r"\s{2,}", line.strip())


def placed(*balls: tuple[float, float, float]) -> list[float]:
    """The numbers that place balls given in pixels."""
    return from_balls(np.array([balls]))[0].tolist()
