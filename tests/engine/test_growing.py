"""Scenes that are packed in several calls, and states that are stored from several calls."""

from collections import OrderedDict

import numpy as np
import pytest

from tumble import engine
from tumble.engine.host import scenes
from tumble.engine.host.scenes import Packer, upload_scenes
from tumble.engine.host.states import StateStore, blank_states, joined_states
from tumble.engine.host.worlds import each
from tumble.scene import Body, Circle, Scene, box


def scene(k: int) -> Scene:
    """A stack of boxes on the ground, and a ball; each with sizes of its own."""
    ground = Body((box(20.0, 1.0),), (0.0, -0.5))
    boxes = [Body((box(1.0 + 0.1 * k, 0.5),), (0.1 * k, 0.3 + 0.6 * n), dynamic=True) for n in range(1 + k % 3)]
    return Scene((ground, *boxes, Body((Circle(0.2 + 0.01 * k),), (0.2, 5.0), dynamic=True)), width=20.0, height=20.0)


def test_scenes_that_follow_uploaded_ones_are_packed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scenes = tuple(scene(k) for k in range(6))
    added = []
    add = Packer.add

    def counted(packer: Packer, body: Body, units: float) -> int:
        added.append(body)
        return add(packer, body, units)

    monkeypatch.setattr(Packer, "add", counted)
    upload_scenes(each(scenes[:4]), 0.02, "cpu")
    added.clear()
    upload_scenes(each(scenes), 0.02, "cpu")
    assert len(added) == sum(len(one.bodies) for one in scenes[4:])


def test_scenes_that_go_to_another_device_are_packed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    worlds = each(tuple(scene(k) for k in range(3)))
    first = upload_scenes(worlds, 0.02, "cpu")
    monkeypatch.setattr(Packer, "add", None)
    monkeypatch.setattr(scenes, "_cached", OrderedDict({(*key[:3], "gpu"): one for key, one in scenes._cached.items()}))
    second = upload_scenes(worlds, 0.02, "cpu")
    assert second is not first
    for name, array in first.arrays.items():
        np.testing.assert_array_equal(array.numpy(), second.arrays[name].numpy())
    for name in ("units", "kind_defs", "bodies", "shapes"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


def test_rollouts_do_not_depend_on_how_scenes_were_packed() -> None:
    options = engine.Options(max_steps=200, stride=50)
    scenes = tuple(scene(k) for k in range(6))
    engine.rollout(each(scenes[:2]), options=options)
    engine.rollout(each(scenes[:5]), options=options)
    grown = engine.rollout(each(scenes), options=options)
    fresh = engine.rollout(each(tuple(scene(k) for k in range(6))), options=options)
    np.testing.assert_array_equal(grown.poses, fresh.poses)
    np.testing.assert_array_equal(grown.steps, fresh.steps)


def random_states(count: int, bodies: int, shapes: int, contacts: int, outputs: int) -> engine.States:
    states = blank_states(count, bodies, shapes, contacts, outputs)
    rng = np.random.default_rng(count)
    states.vecs[:] = rng.random(states.vecs.shape)
    states.ints[:] = rng.integers(1, 100, states.ints.shape)
    states.ints[:, 0] = contacts
    states.headers[:] = rng.integers(1, 100, states.headers.shape)
    return states


def assert_same_bodies(one: engine.States, other: engine.States, bodies: int) -> None:
    np.testing.assert_array_equal(one._bodies()[:, :bodies], other._bodies()[:, :bodies])
    np.testing.assert_array_equal(one.ints[:, 1 : 1 + bodies], other.ints[:, 1 : 1 + bodies])
    np.testing.assert_array_equal(one.steps, other.steps)


def test_states_are_stored_with_room_for_all() -> None:
    store = StateStore()
    parts = [random_states(50, 3, 3, 2, 10), random_states(40, 5, 4, 7, 12), random_states(30, 2, 2, 1, 4)]
    for part in parts:
        store.append(part)
    assert len(store) == 120
    first = 0
    for part in parts:
        taken = store.take(np.arange(first, first + len(part)), 20)
        assert taken.output_ints.shape == (len(part), 20)
        assert_same_bodies(taken, part, part.bodies)
        outputs = part.output_ints.shape[1]
        np.testing.assert_array_equal(taken.output_ints[:, :outputs], part.output_ints)
        assert not taken.output_ints[:, outputs:].any()
        for row in range(0, len(part), 10):
            np.testing.assert_array_equal(taken.touching_pairs(row), part.touching_pairs(row))
        first += len(part)


def test_states_are_joined() -> None:
    small, large = random_states(3, 2, 2, 1, 4), random_states(5, 4, 3, 6, 4)
    both = joined_states(small, large)
    assert len(both) == 8
    assert_same_bodies(both.take(np.arange(3)), small, 2)
    assert_same_bodies(both.take(np.arange(3, 8)), large, 4)
    np.testing.assert_array_equal(both.touching_pairs(6), large.touching_pairs(3))
