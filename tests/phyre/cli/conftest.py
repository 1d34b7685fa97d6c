"""Files of tasks that the commands are given."""

from pathlib import Path

import pytest

from tumble import phyre
from tumble.phyre.catalogue import task_files
from tumble.scene import Body, Circle, Scene, box

TEMPLATE = '''"""A ball above the floor, which falls on it by itself."""

from tumble.phyre.catalogue.template import ball, bar

ID = "mine"
TIER = "B"
PARAMETERS = {"x": (0.2, 0.4, 0.6, 0.8)}


def build(world, x):
    floor = world.static(bar(1), "floor", left=0, bottom=0)
    world.goal(world.dynamic(ball(0.1), "ball", cx=x, bottom=0.5), floor)
'''


@pytest.fixture
def template(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(TEMPLATE)
    return path


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A ball lies on a shelf; knocked off to the right, it comes to rest on the floor."""
    floor = Body((box(256.0, 5.0),), position=(128.0, -2.5), name="floor")
    walls = [Body((box(5.0, 256.0),), position=(x, 128.0)) for x in (-2.5, 258.5)]
    shelf = Body((box(100.0, 5.0),), position=(50.0, 80.0), name="shelf")
    ball = Body((Circle(8.0),), position=(80.0, 90.5), dynamic=True, density=0.25, restitution=0.2, name="ball")
    scene = Scene((floor, *walls, shelf, ball), units_per_metre=6.0)
    path = tmp_path / "shelf.json"
    task_files.save(path, [phyre.Task(f"shelf:{tier}", tier, scene, body=4, other=0) for tier in ("B", "2B")])
    return path
