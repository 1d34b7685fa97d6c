"""Adapters of other engines, which `benchmarks/speed/engine_peers.py` measures: they build the same scenes as ours."""

import math
import sys
from dataclasses import replace

import numpy as np
import pytest
from peers import peer as peers
from peers.peer import mass_of

from tumble.scene import Body, Circle, Polygon, Scene
from tumble.scene.shapes import box

STEPS = 20
PRESENT = {"box2d_peer": "pyb2d3", "pymunk_peer": "pymunk", "mujoco_peer": "mujoco", "jax2d_peer": "jax2d"}


def test_masses_are_those_of_closed_forms() -> None:
    disc = mass_of(Body((Circle(3.0, (6.0, 0.0)),), density=2.0), 3.0)
    assert disc.mass == pytest.approx(2.0 * math.pi)
    assert disc.centre == pytest.approx([2.0, 0.0])
    assert disc.inertia == pytest.approx(math.pi)
    two = mass_of(Body((box(2.0, 4.0, (-1.0, 5.0)), box(2.0, 4.0, (1.0, 5.0)))), 1.0)
    assert two.mass == pytest.approx(16.0)
    assert two.centre == pytest.approx([0.0, 5.0])
    assert two.inertia == pytest.approx(16.0 * (4.0**2 + 4.0**2) / 12.0)


@pytest.mark.parametrize(("name", "package"), PRESENT.items())
def test_an_engine_that_is_not_installed_is_no_peer(name: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"peers.{name}", raising=False)
    assert peers.find_peer(name) is None


@pytest.mark.slow  # imports and compiles other engines, where they are installed
@pytest.mark.parametrize(("name", "package"), PRESENT.items())
def test_bodies_fall_and_turn_as_ours(name: str, package: str) -> None:
    """A ball and a turned quadrilateral whose origin is not its centre fall; a wall stays."""
    pytest.importorskip(package)
    found = peers.find_peer(name)
    assert found is not None
    kite = Polygon(((4.0, 0.0), (10.0, 3.0), (4.0, 6.0), (1.0, 3.0)))
    bodies = (
        Body((box(100.0, 2.0),), position=(50.0, 1.0)),
        Body((Circle(3.0),), dynamic=True, position=(20.0, 80.0)),
        Body((kite,), dynamic=True, position=(60.0, 80.0), angle=0.5),
    )
    scene = Scene(bodies, width=100.0, height=100.0)
    assert found.can_build(scene)
    (poses,) = found.roll_out([scene], STEPS, "cpu").poses
    fallen = 0.5 * 9.8 * (STEPS / 60.0) ** 2 * scene.units_per_metre
    expected = np.array([(*body.position, body.angle) for body in bodies])
    expected[1:, 1] -= fallen
    assert np.abs(poses - expected).max() < 0.06 * fallen
    many = found.roll_out([scene, replace(scene, bodies=bodies[:2])], 1, "cpu").poses
    assert [len(rows) for rows in many] == [3, 2]
