"""What a body may be, and how a wrong one is described."""

import pickle
from typing import Any

import numpy as np
import pytest

from tumble.scene import Body, Circle, SceneError

BALL = (Circle(1.0),)
NAN, INF = float("nan"), float("inf")

FINITE = ["angle", "angular_velocity", "gravity_scale"]
NOT_NEGATIVE = ["density", "friction", "restitution", "linear_damping", "angular_damping"]
WRONG_FIELDS: list[tuple[str, Any, str]] = [
    *((field, NAN, f"{field} must be a finite number") for field in FINITE + NOT_NEGATIVE),
    *((field, -INF, f"{field} must be a finite number") for field in FINITE + NOT_NEGATIVE),
    *((field, "x", f"{field} must be a number, got 'x'") for field in FINITE + NOT_NEGATIVE),
    *((field, None, f"{field} must be a number, got None") for field in FINITE + NOT_NEGATIVE),
    *((field, -0.1, f"{field} must be at least 0, got -0.1") for field in NOT_NEGATIVE),
    ("position", (0.0, NAN), "y of position must be a finite number"),
    ("velocity", (INF, 0.0), "x of velocity must be a finite number"),
    ("position", (1.0,), "position must be a pair of numbers (x, y), got (1.0,)"),
    ("velocity", 3.0, "velocity must be a pair of numbers (x, y), got 3.0"),
    *((field, -1, f"{field} must be a whole number from 0 to 65535, got -1") for field in ("layer", "mask")),
    *((field, 65536, f"{field} must be a whole number from 0 to 65535") for field in ("layer", "mask")),
    *((field, 1.0, f"{field} must be a whole number from 0 to 65535") for field in ("layer", "mask")),
    *((field, True, f"{field} must be a whole number from 0 to 65535") for field in ("layer", "mask")),
    *((field, 1, f"{field} must be True or False, got 1") for field in ("dynamic", "bullet", "dormant")),
    ("role", 3, "role must be a string, got 3"),
    ("role", None, "role must be a string, got None"),
    ("shapes", (), "it has no shapes"),
    ("shapes", Circle(1.0), "shapes must be a sequence of Circle and Polygon, got Circle("),
    ("shapes", [Circle(1.0), "ball"], "shape 1: a shape must be a Circle or a Polygon, got 'ball'"),
]


@pytest.mark.parametrize(
    ("field", "value", "reason"), WRONG_FIELDS, ids=[f"{field} {value!r}" for field, value, _ in WRONG_FIELDS]
)
def test_a_wrong_field_is_named_with_its_body(field: str, value: Any, reason: str) -> None:
    with pytest.raises(SceneError) as caught:
        Body(**{"shapes": BALL, "name": "ball", field: value})
    assert str(caught.value).startswith('body "ball": ')
    assert reason in str(caught.value)


def test_a_body_without_name_is_called_body() -> None:
    with pytest.raises(SceneError, match=r"^body: friction must be at least 0, got -1\.0$"):
        Body(BALL, friction=-1)


def test_a_name_must_be_a_string() -> None:
    with pytest.raises(SceneError, match=r"^body: name must be a string, got 7$"):
        Body(BALL, name=7)


def test_only_a_static_body_may_have_no_density() -> None:
    assert Body(BALL, density=0.0).density == 0.0
    with pytest.raises(SceneError, match='body "ball": density of a dynamic body must be greater than 1e-06'):
        Body(BALL, density=0.0, dynamic=True, name="ball")


def test_lists_and_numpy_values_become_plain_python() -> None:
    body = Body(
        list(BALL),
        position=np.array([1, 2]),
        angle=np.float32(0.5),
        velocity=[3, -0.0],
        dynamic=np.bool_(True),
        layer=np.uint16(2),
    )
    plain = Body(BALL, position=(1.0, 2.0), angle=0.5, velocity=(3.0, 0.0), dynamic=True, layer=2)
    assert repr(body) == repr(plain)
    assert hash(body) == hash(plain)


def test_an_error_survives_the_way_between_processes() -> None:
    error = SceneError("it has no shapes", "body 3")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.problem, copy.where) == ("body 3: it has no shapes", "it has no shapes", "body 3")
