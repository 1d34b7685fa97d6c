"""Scenes survive JSON exactly, and every mistake in a JSON text is named by its place."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tumble.scene import Body, Circle, Polygon, Scene, SceneError, box, from_json, load, save, to_json

numbers = st.floats(-1e9, 1e9)
sizes = st.floats(1e-5, 1e9)
amounts = st.floats(0.0, 1e9)
vectors = st.tuples(numbers, numbers)
sets = st.integers(0, 0xFFFF)


@st.composite
def polygons(draw: st.DrawFn) -> Polygon:
    """Points on an ellipse in the order of their angle: always convex and counter-clockwise."""
    degrees = sorted(draw(st.sets(st.integers(0, 359), min_size=3, max_size=16)))
    width, height = draw(st.floats(1.0, 10.0)), draw(st.floats(1.0, 10.0))
    x, y = draw(st.tuples(st.floats(-10.0, 10.0), st.floats(-10.0, 10.0)))
    angles = [math.radians(degree) for degree in degrees]
    return Polygon(tuple((x + width * math.cos(angle), y + height * math.sin(angle)) for angle in angles))


bodies = st.builds(
    Body,
    shapes=st.lists(st.one_of(st.builds(Circle, sizes, vectors), polygons()), min_size=1, max_size=3),
    position=vectors,
    angle=numbers,
    velocity=vectors,
    angular_velocity=numbers,
    dynamic=st.booleans(),
    name=st.text(),
    role=st.sampled_from(["", "placed", "object", "subject", "other"]),
    density=sizes,
    friction=amounts,
    restitution=amounts,
    gravity_scale=numbers,
    linear_damping=amounts,
    angular_damping=amounts,
    bullet=st.booleans(),
    layer=sets,
    mask=sets,
    dormant=st.booleans(),
)
scenes = st.builds(
    Scene,
    bodies=st.lists(bodies, max_size=3, unique_by=lambda body: body.name or id(body)),
    width=sizes,
    height=sizes,
    units_per_metre=sizes,
    gravity=vectors,
)


@given(scenes)
@settings(max_examples=30, deadline=None)
def test_any_scene_survives_the_round_trip_to_the_last_bit(scene: Scene) -> None:
    assert repr(from_json(to_json(scene))) == repr(scene)


def test_defaults_are_not_written() -> None:
    text = to_json(Scene((Body((Circle(2.0),)), Body((box(2.0, 4.0),), name="wall", angle=0.5))))
    assert json.loads(text) == {
        "version": 1,
        "bodies": [
            {"shapes": [{"type": "circle", "radius": 2.0}]},
            {
                "name": "wall",
                "angle": 0.5,
                "shapes": [{"type": "polygon", "vertices": [[1, 2], [-1, 2], [-1, -2], [1, -2]]}],
            },
        ],
    }


def test_whole_numbers_are_numbers_too() -> None:
    text = '{"version": 1, "width": 10, "bodies": [{"shapes": [{"type": "circle", "radius": 3}]}]}'
    assert from_json(text) == Scene((Body((Circle(3.0),)),), width=10.0)


def with_change(path: list[str | int], value: Any) -> str:
    """The text of a scene with four bodies, the last one a ramp, and one value in it changed."""
    ball = {"shapes": [{"type": "circle", "radius": 1.0}]}
    ramp = {"name": "ramp", "shapes": [{"type": "polygon", "vertices": [[0, 0], [4, 0], [4, 4], [0, 4]]}]}
    document: dict[str, Any] = json.loads(json.dumps({"version": 1, "bodies": [ball, ball, ball, ramp]}))
    place: Any = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return json.dumps(document)


RADIUS: list[str | int] = ["bodies", 2, "shapes", 0, "radius"]
VERTICES: list[str | int] = ["bodies", 3, "shapes", 0, "vertices"]
WRONG_VALUES: list[tuple[list[str | int], Any, str]] = [
    (RADIUS, "abc", 'bodies[2].shapes[0].radius: expected a number, got "abc"'),
    (RADIUS, True, "bodies[2].shapes[0].radius: expected a number, got true"),
    (RADIUS, None, "bodies[2].shapes[0].radius: expected a number, got null"),
    (RADIUS, [1.0], "bodies[2].shapes[0].radius: expected a number, got a list"),
    (RADIUS, math.nan, "bodies[2].shapes[0].radius: expected a finite number"),
    (RADIUS, -math.inf, "bodies[2].shapes[0].radius: expected a finite number"),
    (RADIUS, 10**400, "bodies[2].shapes[0].radius: expected a finite number"),
    (RADIUS, 0.0, "body 2: radius must be greater than 1e-06, got 0.0"),
    (VERTICES, 5, "bodies[3].shapes[0].vertices: expected a list, got 5"),
    ([*VERTICES, 1], [1.0], "bodies[3].shapes[0].vertices[1]: expected a pair of numbers [x, y], got a list"),
    ([*VERTICES, 1, 0], "x", 'bodies[3].shapes[0].vertices[1][0]: expected a number, got "x"'),
    ([*VERTICES, 2], [1, 1], 'body 3 ("ramp"): polygon is not convex at vertex 2'),
    ([*VERTICES, 2], [2, 2], 'body 3 ("ramp"): polygon is degenerate: vertex 2 lies on the line'),
    (["bodies", 3, "shapes"], [], 'body 3 ("ramp"): it has no shapes'),
    (["bodies", 3, "shapes"], {}, "bodies[3].shapes: expected a list, got an object"),
    (["bodies", 3, "shapes", 0], "box", 'bodies[3].shapes[0]: expected an object, got "box"'),
    (["bodies", 3, "shapes", 0, "type"], "box", 'shapes[0].type: expected "circle" or "polygon", got "box"'),
    (["bodies", 3, "shapes", 0, "type"], [], 'shapes[0].type: expected "circle" or "polygon", got a list'),
    (
        ["bodies", 3, "shapes", 0, "type"],
        "circle",
        "bodies[3].shapes[0].vertices: unknown field; known",
    ),
    (["bodies", 3, "shapes", 0], {"type": "circle"}, "bodies[3].shapes[0].radius: this field is missing"),
    (["bodies", 3, "shapes", 0], {"radius": 1}, "bodies[3].shapes[0].type: this field is missing"),
    (["bodies", 3], {"name": "ramp"}, "bodies[3].shapes: this field is missing"),
    (["bodies", 3], 7, "bodies[3]: expected an object, got 7"),
    (["bodies", 3, "frction"], 1.0, "bodies[3].frction: unknown field; did you mean 'friction'?"),
    (["bodies", 3, "friction"], -1.0, 'body 3 ("ramp"): friction must be at least 0, got -1.0'),
    (["bodies", 3, "position"], [0.0], "bodies[3].position: expected a pair of numbers [x, y], got a list"),
    (["bodies", 3, "dynamic"], 1, "bodies[3].dynamic: expected true or false, got 1"),
    (["bodies", 3, "layer"], 1.0, "bodies[3].layer: expected a whole number, got 1.0"),
    (["bodies", 3, "layer"], True, "bodies[3].layer: expected a whole number, got true"),
    (["bodies", 3, "mask"], 65536, 'body 3 ("ramp"): mask must be a whole number from 0 to 65535, got 65536'),
    (["bodies", 3, "name"], 1, "bodies[3].name: expected a string, got 1"),
    (["bodies", 3, "role"], None, "bodies[3].role: expected a string, got null"),
    (["bodies", 1, "name"], "ramp", 'body 3 ("ramp"): body 1 has the same name'),
    (["bodies"], None, "bodies: expected a list, got null"),
    (["width"], 0, "scene: width must be greater than 1e-06, got 0.0"),
    (["gravity"], "down", 'gravity: expected a pair of numbers [x, y], got "down"'),
    (["goal"], 1, "goal: unknown field; known fields: bodies, width, height"),
    (["version"], 2, "version: expected 1, got 2"),
    (["version"], "1", 'version: expected 1, got "1"'),
]


@pytest.mark.parametrize(("path", "value", "reason"), WRONG_VALUES, ids=[str(k) for k in range(len(WRONG_VALUES))])
def test_a_wrong_value_is_named_by_its_place(path: list[str | int], value: Any, reason: str) -> None:
    from_json(with_change(["width"], 1.0))
    with pytest.raises(SceneError) as caught:
        from_json(with_change(path, value))
    assert reason in str(caught.value)


BROKEN_TEXTS = {
    "": "this is not JSON",
    "{": "this is not JSON: Expecting property name enclosed in double quotes: line 1 column 2",
    '{"version": 1, "bodies": []} x': "this is not JSON: Extra data: line 1 column 30",
    "[" * 100_000: "nested too deeply",
    '{"version": ' + "9" * 5000 + "}": "this is not JSON",
    "[]": "scene: expected an object, got a list",
    '"scene"': 'scene: expected an object, got "scene"',
    "{}": "bodies: this field is missing",
    '{"bodies": []}': "version: this field is missing",
    '{"version": 1, "bodies": [], "version": 1}': "version: this field is given twice",
    '{"version": 1, "bodies": [{"shapes": [{"type": "circle", "radius": 1, "radius": 2}]}]}': (
        "bodies[0].shapes[0].radius: this field is given twice"
    ),
    '{"version": 1, "bodies": [{"angle": 1e999, "shapes": []}]}': "bodies[0].angle: expected a finite number",
}


@pytest.mark.parametrize(("text", "reason"), BROKEN_TEXTS.items(), ids=[str(k) for k in range(len(BROKEN_TEXTS))])
def test_a_broken_text_is_refused(text: str, reason: str) -> None:
    with pytest.raises(SceneError) as caught:
        from_json(text)
    assert reason in str(caught.value)


@given(st.text() | st.recursive(st.none() | st.floats() | st.text(), st.lists).map(json.dumps))
@settings(max_examples=50, deadline=None)
def test_no_text_does_worse_than_a_scene_error(text: str) -> None:
    with pytest.raises(SceneError):
        from_json(text)


def test_a_scene_survives_its_file(tmp_path: Path) -> None:
    scene = Scene((Body((Circle(2.0),), name="Bällchen \N{SNOWMAN}"),))
    save(scene, tmp_path / "scene.json")
    assert load(tmp_path / "scene.json") == scene
    assert [file.name for file in tmp_path.iterdir()] == ["scene.json"]


def test_a_wrong_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "scene.json"
    path.write_text('{"version": 1}')
    with pytest.raises(SceneError) as caught:
        load(path)
    assert str(caught.value) == f"{path}: bodies: this field is missing"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SceneError, match=r"scene\.json: this is not UTF-8 text"):
        load(path)
