"""Animated SVG shows bodies where they are at each moment."""

import re
from xml.etree import ElementTree

import numpy as np

from tumble.scene import Body, Circle, Scene, box
from tumble.scene.svg import animated_svg

SCENE = Scene(
    (
        Body((Circle(8.0),), position=(60.0, 200.0), dynamic=True, name="ball"),
        Body((box(40.0, 6.0),), position=(100.0, 80.0), dynamic=True, name="bar"),
        Body((box(256.0, 6.0),), position=(128.0, 3.0), name="floor"),
    )
)


def motion() -> np.ndarray:
    """Ten frames: the ball falls faster and faster and disappears, the bar turns evenly, the floor rests."""
    poses = np.repeat(np.array([[(*body.position, body.angle) for body in SCENE.bodies]]), 10, axis=0)
    poses[:, 0, 1] -= np.arange(10.0) ** 2
    poses[7:, 0] = np.nan
    poses[:, 1, 2] = np.linspace(0.0, np.pi / 2, 10)
    return poses


def animations(svg: str, kind: str) -> list[dict[str, str]]:
    return [
        element.attrib
        for element in ElementTree.fromstring(svg).iter()
        if kind in (element.get("type"), element.get("attributeName"))
    ]


def test_moving_bodies_are_animated_and_others_are_not() -> None:
    svg = animated_svg(SCENE, motion(), fps=10, pause=1.0)
    (moved,) = animations(svg, "translate")
    values = [tuple(map(float, pair.split())) for pair in moved["values"].split(";")]
    assert values[0] == (60.0, 200.0)
    assert values[3] == (60.0, 191.0)
    times = list(map(float, moved["keyTimes"].split(";")))
    assert moved["dur"] == "1.9s"
    assert times[0] == 0.0
    assert times[-1] == 1.0
    assert times[3] == round(0.3 / 1.9, 4)
    assert len(times) == len(values)


def test_even_motion_needs_few_key_frames() -> None:
    (turned,) = animations(animated_svg(SCENE, motion(), fps=10, pause=1.0), "rotate")
    assert turned["values"] == "0;90;90"


def test_a_body_that_disappears_is_hidden_from_then_on() -> None:
    (hidden,) = animations(animated_svg(SCENE, motion(), fps=10, pause=1.0), "opacity")
    assert hidden["calcMode"] == "discrete"
    assert hidden["values"] == "1;0"
    assert hidden["keyTimes"] == f"0;{round(0.7 / 1.9, 4)}"


def test_one_frame_is_a_picture_that_rests() -> None:
    svg = animated_svg(SCENE, motion()[:1], fps=10, pause=1.0)
    assert not re.search("animateTransform", svg)
