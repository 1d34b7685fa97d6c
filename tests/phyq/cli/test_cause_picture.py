"""`tumble phyq explain`: its text, its picture, and its errors."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from tumble.phyq.catalogue.tasks import task
from tumble.phyq.cli.commands import app
from tumble.phyq.cli.explain import (
    FAINT,
    KILL,
    PATH,
    PUSH,
    SKY,
    bird_paths,
    cause_camera,
    cause_picture,
    cause_scene,
    piece_paths,
)
from tumble.phyq.generation.explain import Explanation, explain
from tumble.phyq.generation.solutions import solution
from tumble.phyq.observation.illustration import Illustrator
from tumble.phyq.simulation import episode_views

TASK = "4.4:003"


@cache
def explanation(task_id: str = TASK) -> Explanation:
    return explain(task(task_id), solution(task_id).shots)


def nearest(picture: np.ndarray, colour: tuple[int, int, int], pixel: np.ndarray) -> float:
    """The distance from a pixel to the nearest one of a colour."""
    rows, columns = np.nonzero((picture == np.array(colour, np.uint8)).all(axis=-1))
    return float(np.hypot(columns - pixel[0], rows - pixel[1]).min())


def test_the_command_prints_the_chain_and_the_rule(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["explain", TASK, "--png", str(tmp_path / "causes.png")])
    assert result.exit_code == 0, result.output
    assert "1  0.00 s  bird 0 is released" in result.output
    assert "block 0 kills pig 0" in result.output
    assert "The rule is" in result.output
    with Image.open(tmp_path / "causes.png") as picture:
        assert picture.width == 1280


def test_the_command_draws_any_width(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["explain", TASK, "--png", str(tmp_path / "causes.png"), "--width", "500"])
    assert result.exit_code == 0, result.output
    with Image.open(tmp_path / "causes.png") as picture:
        assert picture.width == 500
    assert CliRunner().invoke(app, ["explain", TASK, "--width", "63"]).exit_code == 2


def test_given_shots_are_explained_instead() -> None:
    result = CliRunner().invoke(app, ["explain", TASK, "--angle", "85"])
    assert result.exit_code == 0, result.output
    assert "red bird: 85 degrees" in result.output
    assert "The rule is not followed: missing is that" in result.output


def test_a_level_without_a_stored_solution_is_an_error() -> None:
    result = CliRunner().invoke(app, ["explain", "4.4:100"])
    assert result.exit_code == 1
    assert "no solution of task '4.4:100' is stored" in result.output + result.stderr


@pytest.mark.parametrize("width", [640, 1280])
def test_marks_are_where_things_happen(width: int) -> None:
    one = explanation()
    picture, camera = cause_picture(one, "title", width), cause_camera(one, width)
    colours = {"kill": KILL, "push": PUSH}
    marked = [link for link in one.links if link.kind in colours]
    assert {link.kind for link in marked} == {"kill", "push"}
    for link in marked:
        assert nearest(picture, colours[link.kind], camera.to_pixels(np.array(link.point))) <= 2.0
    flight = camera.to_pixels(bird_paths(one)[0])
    assert nearest(picture, PATH, flight[len(flight) // 4]) <= 2.0


def test_everything_that_happens_is_in_the_picture_with_little_sky() -> None:
    one = explanation()
    camera = cause_camera(one, 1280)
    paths = np.concatenate([*bird_paths(one), *piece_paths(one)])
    pixels = camera.to_pixels(paths)
    assert (pixels >= 0.0).all()
    assert (pixels <= (camera.width, camera.height)).all()
    highest = min(camera.to_pixels(obj.corners)[:, 1].min() for obj in episode_views.start(task(TASK).level).objects)
    assert min(highest, pixels[:, 1].min()) == pytest.approx(SKY * camera.width, abs=1.0)


def test_moved_objects_are_faint_where_they_stood() -> None:
    one = explanation()
    camera, motion = cause_camera(one, 1280), episode_views.motion(one.episodes, 0)
    scene = cause_scene(motion, camera).astype(int)
    start, end = Illustrator(motion.objects, motion.slingshot, camera).paint(motion.poses[[0, -1]]).astype(int)
    block = int(np.argmax([obj.kind == "block" for obj in motion.objects]))  # block 0 of the chain
    before, after = (np.rint(camera.to_pixels(motion.poses[k, block, :2])).astype(int) for k in (0, -1))
    assert (scene[after[1], after[0]] == end[after[1], after[0]]).all()
    seen, full, gone = (image[before[1], before[0]] for image in (scene, start, end))
    np.testing.assert_allclose(seen, FAINT * full + (1.0 - FAINT) * gone, atol=1.0)
    assert np.abs(full - gone).max() > 30


def test_the_text_and_the_smallest_picture() -> None:
    one = explanation()
    short, long = (cause_picture(one, "title" * count, 64) for count in (1, 20))
    assert short.shape[1] == 64
    assert len(long) > len(short)
