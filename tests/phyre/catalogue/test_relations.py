"""Goals of all relations: in tasks, templates, digests and every format of task files."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tumble import phyre
from tumble.phyre.catalogue import task_files
from tumble.phyre.catalogue.task import RELATION_CODES, Task, TaskError, digest_of_tasks, task_difference
from tumble.phyre.catalogue.template import World, ball, bar, jar
from tumble.phyre.simulation.actions import describe_goal

GOALS = [(name,) for name in RELATION_CODES] + [("above", "not touching"), ("inside", "touching")]
SUFFIXES = {"own": "json", "published": "json.xz", "binary": "bin.lzma"}


def jar_task(relation: str | Sequence[str] = "touching", task_id: str = "mine:000") -> Task:
    world = World()
    world.static(bar(1), "floor", left=0, bottom=0)
    thrown = world.dynamic(ball(0.1), "ball", cx=0.3, bottom=0.6)
    world.goal(thrown, world.dynamic(jar(0.3), "jar", cx=0.6, bottom=0.05), relation)
    return world.task(task_id, "B")


@pytest.mark.parametrize("file_format", SUFFIXES)
def test_every_format_keeps_every_goal(file_format: str, tmp_path: Path) -> None:
    tasks = {f"mine:{k:03d}": jar_task(names, f"mine:{k:03d}") for k, names in enumerate(GOALS)}
    file = tmp_path / f"tasks.{SUFFIXES[file_format]}"
    task_files.save(file, tasks, file_format)
    loaded = task_files.load(file)
    assert [task.relations for task in loaded.values()] == GOALS
    assert all(task_difference(loaded[name], task) == "" for name, task in tasks.items())
    if file_format == "own":
        assert loaded == tasks


def test_an_area_of_its_own_is_kept(tmp_path: Path) -> None:
    area = ((-10.0, 0.0), (12.5, 0.0), (0.0, 30.0))
    task = replace(jar_task("not inside"), area=area)
    for file_format in SUFFIXES:
        task_files.save(tmp_path / "task", [task], file_format)
        assert task_files.load(tmp_path / "task")[task.id].area == area


def test_published_tasks_are_written_and_read_exactly(tmp_path: Path) -> None:
    tasks = {task_id: phyre.task(task_id) for task_id in ("00000:000", "00012:001", "00106:002")}
    for file_format in ("published", "binary"):
        task_files.save(tmp_path / "tasks", tasks, file_format)
        loaded = task_files.load(tmp_path / "tasks")
        for name, task in tasks.items():
            bodies = tuple(replace(body, name="") for body in task.scene.bodies)
            assert loaded[name] == replace(task, scene=replace(task.scene, bodies=bodies))


def test_what_the_published_formats_cannot_hold_is_refused(tmp_path: Path) -> None:
    task = jar_task()
    bodies = (*task.scene.bodies[:-1], replace(task.scene.bodies[-1], velocity=(1.0, 0.0)))
    moving = replace(task, scene=replace(task.scene, bodies=bodies))
    file = tmp_path / "tasks.json"
    for file_format in ("published", "binary"):
        with pytest.raises(task_files.TaskFileError, match="task mine:000: the published format can't hold body 6"):
            task_files.save(file, [moving], file_format)
    with pytest.raises(task_files.TaskFileError, match="no format 'xml'; there are own, published, binary"):
        task_files.save(file, [task], "xml")
    assert not file.exists()


def test_the_area_of_a_jar_is_its_outline() -> None:
    task = jar_task("inside")
    wall = task.scene.bodies[task.other].shapes[1].vertices
    outline = {wall[0], wall[1], (-wall[0][0], wall[0][1]), (-wall[1][0], wall[1][1])}
    assert {tuple(round(n, 6) for n in v) for v in task.area} == {tuple(round(n, 6) for n in v) for v in outline}


def test_digests_depend_on_goals_but_touching_keeps_its_own() -> None:
    digests = [digest_of_tasks([jar_task(names)]) for names in GOALS]
    assert len(set(digests)) == len(GOALS)
    assert digest_of_tasks([jar_task("touching")]) == digest_of_tasks([jar_task()])
    assert digest_of_tasks([phyre.task("00000:000")]).startswith("3c06f30db40fc86c")
    inside = jar_task("inside")
    smaller = replace(inside, area=tuple((0.5 * x, 0.5 * y) for x, y in inside.area))
    assert digest_of_tasks([inside]) != digest_of_tasks([smaller])
    assert task_difference(inside, smaller) == task_difference(inside, jar_task()) == "the relations of the goal"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"relations": ()}, "task mine:000: 'relation' must be the name of a relation"),
        ({"relations": "near"}, "task mine:000: no relation 'near'; there are above, below"),
        ({"relations": ("above", "above")}, "task mine:000: the relation 'above' is given twice"),
        ({"area": ((0, 0), (1, 0), (0, 1))}, "task mine:000: only goals of 'inside'"),
        ({"relations": "inside", "area": ((0, 0), (1, 0))}, "3 to 128 vertices, got 2"),
        ({"relations": "inside", "area": ((0, 0), (0, 1), (1, 0))}, "the area of the goal: polygon is clockwise"),
        ({"relations": "inside", "other": 5, "body": 6}, "a ball encloses none"),
    ],
)
def test_wrong_goals_are_refused(fields: dict, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        replace(jar_task(), **fields)


def test_goals_in_words() -> None:
    words = {names: describe_goal(jar_task(names)) for names in GOALS}
    subject, other = "the ball (green)", "the jar (blue)"
    assert words["touching",] == f"{subject} has to touch {other} for 3 seconds"
    assert words["touching briefly",] == f"{subject} has to touch {other} once"
    assert words["not touching",] == f"{subject} must never touch {other}, or part from it for 3 seconds"
    assert words["left of",] == f"{subject} has to be left of {other} for 3 seconds"
    assert words["above", "not touching"] == f"{subject} has to be above and not touching {other} for 3 seconds"
