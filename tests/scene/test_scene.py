"""What a scene may be, and finding and adding bodies."""

import json
import lzma
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tumble.scene import Body, Circle, Polygon, Scene, SceneError

BALL = Body((Circle(1.0),), name="ball")
RAMP = Body((Circle(1.0),), name="ramp")
PLAIN = Body((Circle(1.0),))
NAN, INF = float("nan"), float("inf")

SIZES = ["width", "height", "units_per_metre"]
WRONG_FIELDS: list[tuple[str, Any, str]] = [
    *((field, 0.0, f"scene: {field} must be greater than 1e-06, got 0.0") for field in SIZES),
    *((field, -1, f"scene: {field} must be greater than 1e-06, got -1.0") for field in SIZES),
    *((field, NAN, f"scene: {field} must be a finite number") for field in SIZES),
    *((field, INF, f"scene: {field} must be a finite number") for field in SIZES),
    *((field, "6", f"scene: {field} must be a number, got '6'") for field in SIZES),
    ("gravity", (0.0, NAN), "scene: y of gravity must be a finite number"),
    ("gravity", -9.8, "scene: gravity must be a pair of numbers (x, y), got -9.8"),
    ("bodies", BALL, "scene: bodies must be a sequence of Body, got Body("),
    ("bodies", [BALL, "ramp"], "body 1: a body must be a Body, got 'ramp'"),
    ("bodies", [BALL, PLAIN, BALL], 'body 2 ("ball"): body 0 has the same name'),
]


@pytest.mark.parametrize(
    ("field", "value", "reason"), WRONG_FIELDS, ids=[f"{field} {value!r}" for field, value, _ in WRONG_FIELDS]
)
def test_a_wrong_scene_is_refused(field: str, value: Any, reason: str) -> None:
    with pytest.raises(SceneError) as caught:
        Scene(**{"bodies": (), field: value})
    assert str(caught.value).startswith(reason)


def test_many_bodies_may_be_without_name() -> None:
    assert len(Scene((PLAIN, PLAIN, PLAIN)).bodies) == 3


def test_index_finds_a_body_by_its_name() -> None:
    scene = Scene((PLAIN, BALL, RAMP))
    assert (scene.index("ball"), scene.index("ramp")) == (1, 2)


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(SceneError) as caught:
        Scene((PLAIN, BALL, RAMP)).index("bal")
    assert "no body is named 'bal' (did you mean 'ball'?); known names: 'ball', 'ramp'" in str(caught.value)
    with pytest.raises(SceneError, match="no body has a name"):
        Scene((PLAIN,)).index("")


def test_with_bodies_adds_after_the_others_and_leaves_the_scene_alone() -> None:
    scene = Scene((BALL,), width=10.0, gravity=(0.0, 0.0))
    longer = scene.with_bodies(RAMP, PLAIN)
    assert longer == replace(scene, bodies=(BALL, RAMP, PLAIN))
    assert scene.bodies == (BALL,)
    with pytest.raises(SceneError, match=r'body 1 \("ball"\): body 0 has the same name'):
        scene.with_bodies(BALL)


def test_lists_and_numpy_numbers_become_plain_python() -> None:
    scene = Scene([BALL], np.float32(10), 20, np.int64(6), np.array([0, -1]))
    assert repr(scene) == repr(Scene((BALL,), 10.0, 20.0, 6.0, (0.0, -1.0)))
    assert hash(scene) == hash(Scene((BALL,), 10.0, 20.0, 6.0, (0.0, -1.0)))


def test_published_phyre_tasks_are_valid_scenes(shared_data: Path) -> None:
    with lzma.open(shared_data / "phyre" / "official_tasks.json.xz") as file:
        tasks = json.load(file)
    for name in sorted(tasks)[::50]:
        scene = Scene([_published_body(body) for body in tasks[name]["bodies"]], units_per_metre=6.0)
        assert len(scene.bodies) >= 5, "four walls and something to reach"


def _published_body(record: dict[str, Any]) -> Body:
    shapes = [
        Circle(shape["radius"]) if "radius" in shape else Polygon(shape["vertices"]) for shape in record["shapes"]
    ]
    return Body(shapes, (record["x"], record["y"]), record["angle"], dynamic=record["dynamic"])
