"""`tumble phyq explain`: its text, its picture, and its errors."""

from pathlib import Path

import numpy as np
from PIL import Image
from typer.testing import CliRunner

from tumble.phyq.cli.cause_picture import KILL, PATH, cause_picture
from tumble.phyq.cli.commands import app
from tumble.phyq.generation.explain import explain
from tumble.phyq.generation.solutions import solution
from tumble.phyq.tasks.catalogue import task

TASK = "4.4:003"


def test_the_command_prints_the_chain_and_the_rule(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["explain", TASK, "--png", str(tmp_path / "causes.png")])
    assert result.exit_code == 0, result.output
    assert "1  0.00 s  bird 0 is released" in result.output
    assert "block 0 kills pig 0" in result.output
    assert "The rule is" in result.output
    with Image.open(tmp_path / "causes.png") as picture:
        assert picture.width > 640


def test_given_shots_are_explained_instead() -> None:
    result = CliRunner().invoke(app, ["explain", TASK, "--angle", "85"])
    assert result.exit_code == 0, result.output
    assert "red bird: 85 degrees" in result.output
    assert "The rule is not followed: missing is that" in result.output


def test_a_level_without_a_stored_solution_is_an_error() -> None:
    result = CliRunner().invoke(app, ["explain", "4.4:100"])
    assert result.exit_code == 1
    assert "no solution of task '4.4:100' is stored" in result.output + result.stderr


def test_the_picture_has_the_path_and_a_cross() -> None:
    explanation = explain(task(TASK), solution(TASK).shots)
    picture = cause_picture(explanation, "title")
    assert picture.dtype == np.uint8
    for colour in (PATH, KILL):
        assert (picture == np.array(colour, np.uint8)).all(axis=-1).sum() > 50
