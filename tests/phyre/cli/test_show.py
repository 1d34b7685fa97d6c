"""`tumble phyre show`."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from phyre_commands import printed, refusal
from PIL import Image

from tumble import phyre
from tumble.phyre.catalogue import task_files
from tumble.phyre.catalogue.tasks_by_id import solutions
from tumble.phyre.catalogue.templates import published_numbers


def test_show_draws_a_task_in_characters_and_prints_its_goal() -> None:
    text = printed("show", "00002:000")
    drawn = [line for line in text.splitlines() if line.startswith(("|", "+"))]
    assert {len(line) for line in drawn} == {66}
    assert len(drawn) == 34
    assert drawn[-2] == f"|{'S' * 64}|"
    assert "oooo" in text
    assert "Goal: the ball (green) has to touch the floor (purple bar) for 3 seconds." in text


def test_show_writes_a_picture_and_an_animation(tmp_path: Path) -> None:
    png, gif = tmp_path / "start.png", tmp_path / "motion.gif"
    assert str(png) in printed("show", "00002:000", "--png", png, "--gif", gif, "--size", 64)
    with Image.open(png) as picture:
        assert picture.size == (64, 64)
    with Image.open(gif) as animation:
        # The ball falls onto the ledge and comes to rest: longer than a second, shorter than all 1000 steps.
        assert 20 < animation.n_frames < 333


@pytest.mark.parametrize("tier", ["B", "2B"])
def test_show_places_the_stored_solution(tier: str, tmp_path: Path) -> None:
    task_id = next(task_id for task_id in phyre.task_ids(tier) if task_id in solutions())
    png = tmp_path / "solved.png"
    text = printed("show", task_id, "--solution", "--png", png)
    assert "*" in text.partition("* placed ball")[0]
    numbers = re.search(r"Solution: ([\d. ]+),", text)
    assert numbers
    assert "Stably solved after" in printed("simulate", task_id, *numbers[1].split(), "--stable")
    with Image.open(png) as picture:
        assert (0xF3, 0x4F, 0x46) in {colour for _, colour in picture.getcolors(100000)}


def test_show_reports_that_no_solution_is_stored(template: Path) -> None:
    unpublished = next(n for n in range(1000) if n not in published_numbers()["00000"])
    expected = f"no stable solution of task 00000:{unpublished:03d} is stored"
    assert refusal("show", f"00000:{unpublished:03d}", "--solution") == expected
    assert refusal("show", template, "--solution") == "no stable solution of task mine:000 is stored"


def test_a_solution_is_not_offered_for_another_task_of_the_same_id(tmp_path: Path) -> None:
    task_id = next(iter(solutions()))
    task = phyre.task(task_id)
    bodies = (*task.scene.bodies[:-1], replace(task.scene.bodies[-1], position=(100.0, 100.0)))
    task_files.save(tmp_path / "changed.json", [replace(task, scene=replace(task.scene, bodies=bodies))])
    assert refusal("show", tmp_path / "changed.json", "--solution").startswith("no stable solution")
