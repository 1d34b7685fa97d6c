"""SVG pictures are well-formed XML that shows every shape in its place."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from tumble.scene import Body, Circle, Scene, box, to_svg

SVG = "{http://www.w3.org/2000/svg}"
SCENE = Scene(
    (
        Body((Circle(20.0, (1.0, 2.0)),), (60.0, 200.0), dynamic=True, role="object", name="ball"),
        Body((box(120.0, 8.0), box(8.0, 30.0)), (100.0, 80.0), np.pi / 2),
    ),
    width=300.0,
    height=250.5,
)


def groups(scene: Scene, poses: object = None) -> list[ElementTree.Element]:
    """The element of each body that is drawn."""
    root = ElementTree.fromstring(to_svg(scene, poses))
    assert root.tag == f"{SVG}svg"
    return root.findall(f"{SVG}g/{SVG}g")


def test_the_view_is_the_scene_with_y_up() -> None:
    root = ElementTree.fromstring(to_svg(SCENE))
    assert root.get("viewBox") == "0 0 300 250.5"
    world = root.find(f"{SVG}g")
    assert world is not None
    assert world.get("transform") == "translate(0 250.5) scale(1 -1)"


def test_there_is_one_element_per_shape_in_the_order_of_bodies() -> None:
    ball, cross = groups(SCENE)
    assert [element.tag for element in ball] == [f"{SVG}title", f"{SVG}circle"]
    assert [element.tag for element in cross] == [f"{SVG}title", f"{SVG}polygon", f"{SVG}polygon"]
    assert ball[1].attrib == {"cx": "1", "cy": "2", "r": "20"}
    assert cross[1].get("points") == "60,4 -60,4 -60,-4 60,-4"


def test_bodies_have_their_pose_colour_and_name() -> None:
    ball, cross = groups(SCENE)
    assert (ball.get("transform"), ball.get("fill")) == ("translate(60 200) rotate(0)", "#6bcebb")
    assert (cross.get("transform"), cross.get("fill")) == ("translate(100 80) rotate(90)", "#000000")
    assert [group.findtext(f"{SVG}title") for group in (ball, cross)] == ["ball", "body 1"]


def test_given_poses_are_drawn_and_absent_bodies_are_not() -> None:
    (cross,) = groups(SCENE, [[np.nan, 0.0, 0.0], [1.0, 2.0, np.pi]])
    assert cross.get("transform") == "translate(1 2) rotate(180)"


def test_a_dormant_body_is_drawn_only_where_a_pose_says_so() -> None:
    scene = Scene((Body((Circle(1.0),), dormant=True),))
    assert len(groups(scene)) == 0
    assert len(groups(scene, [[0.0, 0.0, 0.0]])) == 1


@pytest.mark.parametrize("name", ["<script>&amp;</title>", "\"quoted' & \N{SNOWMAN}", "]]>"])
def test_names_are_escaped(name: str) -> None:
    (group,) = groups(Scene((Body((Circle(1.0),), name=name),)))
    assert group.findtext(f"{SVG}title") == name


def test_characters_that_xml_cannot_hold_are_replaced() -> None:
    (group,) = groups(Scene((Body((Circle(1.0),), name="a\x00b\x1bc\ud800d\ufffe"),)))
    assert group.findtext(f"{SVG}title") == "a\ufffdb\ufffdc\ufffdd\ufffd"


def test_only_one_picture_at_a_time() -> None:
    with pytest.raises(ValueError, match=r"to_svg draws one picture: .* got \[4, 2, 3\]"):
        to_svg(SCENE, np.zeros((4, 2, 3)))
