"""What is a circle, what is a convex polygon, and how a wrong one is described."""

import math

import numpy as np
import pytest

from tumble.scene import MAX_VERTICES, Body, Circle, Polygon, SceneError, Shape, box, regular_polygon

NAN, INF = math.nan, math.inf
PENTAGRAM = [(math.cos(0.8 * math.pi * k), math.sin(0.8 * math.pi * k)) for k in range(5)]

WRONG_SHAPES = {
    "radius zero": (Circle(0.0), "radius must be greater than 1e-06, got 0.0"),
    "radius negative": (Circle(-2.0), "radius must be greater than 1e-06, got -2.0"),
    "radius lost in float32": (Circle(1e-7), "radius must be greater than 1e-06, got 1e-07"),
    "radius NaN": (Circle(NAN), "radius must be a finite number"),
    "radius infinite": (Circle(INF), "radius must be a finite number"),
    "radius beyond float32": (Circle(1e30), "radius must be a finite number no larger than 1e+09, got 1e+30"),
    "radius beyond float64": (Circle(10**400), "radius must be a finite number"),
    "radius beyond printing": (Circle(10**5000), "radius must be a finite number"),
    "radius a string": (Circle("abc"), "radius must be a number, got 'abc'"),
    "radius a flag": (Circle(True), "radius must be a number, got True"),
    "centre NaN": (Circle(1.0, (0.0, NAN)), "y of centre must be a finite number"),
    "centre of three numbers": (Circle(1.0, (0.0, 0.0, 0.0)), "centre must be a pair of numbers"),
    "centre a string": (Circle(1.0, "ab"), "centre must be a pair of numbers"),
    "no vertices": (Polygon(()), "polygon must have 3 to 16 vertices, got 0"),
    "two vertices": (Polygon([(0, 0), (1, 0)]), "polygon must have 3 to 16 vertices, got 2"),
    "17 vertices": (regular_polygon(17, 5.0), "polygon must have 3 to 16 vertices, got 17"),
    "vertices a number": (Polygon(3.0), "vertices must be a sequence of (x, y) pairs, got 3.0"),
    "vertex a number": (Polygon([(0, 0), (1, 0), 5]), "vertex 2 must be a pair of numbers (x, y), got 5"),
    "vertex NaN": (Polygon([(0, 0), (NAN, 0), (0, 1)]), "x of vertex 1 must be a finite number"),
    "vertex infinite": (Polygon([(0, 0), (1, 0), (0, INF)]), "y of vertex 2 must be a finite number"),
    "vertex a string": (Polygon([(0, 0), (1, "a"), (0, 1)]), "y of vertex 1 must be a number, got 'a'"),
    "not convex": (Polygon([(0, 0), (4, 0), (1, 1), (0, 4)]), "polygon is not convex at vertex 2"),
    "not convex, clockwise": (Polygon([(0, 4), (1, 1), (4, 0), (0, 0)]), "polygon is not convex at vertex 1"),
    "clockwise": (Polygon([(0, 0), (0, 1), (1, 1), (1, 0)]), "polygon is clockwise"),
    "vertex on an edge": (Polygon([(0, 0), (1, 0), (2, 0), (1, 1)]), "vertex 1 lies on the line"),
    "all on a line": (Polygon([(0, 0), (1, 1), (2, 2)]), "its vertices lie on one line"),
    "spike": (Polygon([(0, 0), (4, 0), (2, 0), (2, 2)]), "vertex 1 lies on the line"),
    "same vertex twice": (Polygon([(0, 0), (1, 0), (1, 0), (0, 1)]), "vertices 1 and 2 coincide"),
    "closed ring": (Polygon([(0, 0), (1, 0), (0, 1), (0, 0)]), "vertices 3 and 0 coincide"),
    "one point": (Polygon([(0, 0)] * 3), "vertices 0 and 1 coincide"),
    "too fine for float32": (Polygon([(1e6, 0), (1e6 + 0.1, 0), (1e6, 9)]), "vertices 0 and 1 coincide"),
    "speck": (Polygon([(0, 0), (1e-200, 0), (0, 1e-200)]), "vertices 0 and 1 coincide"),
    "bow tie": (Polygon([(0, 0), (2, 2), (2, 0), (0, 2)]), "polygon crosses itself"),
    "lopsided bow tie": (Polygon([(0, 0), (9, 0), (0, 5), (9, 1)]), "polygon crosses itself"),
    "pentagram": (Polygon(PENTAGRAM), "polygon crosses itself"),
}


@pytest.mark.parametrize(("shape", "reason"), WRONG_SHAPES.values(), ids=WRONG_SHAPES)
def test_a_wrong_shape_is_refused_by_the_body_that_takes_it(shape: Shape, reason: str) -> None:
    with pytest.raises(SceneError) as caught:
        Body((shape,), name="ramp")
    assert str(caught.value).startswith('body "ramp": ')
    assert reason in str(caught.value)


def test_the_culprit_among_several_shapes_is_named() -> None:
    with pytest.raises(SceneError, match='body "cup": shape 1: radius must be greater than 1e-06'):
        Body((Circle(1.0), Circle(0.0)), name="cup")


@pytest.mark.parametrize("sides", range(3, MAX_VERTICES + 1))
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e5])
def test_regular_polygons_of_every_size_are_convex(sides: int, size: float) -> None:
    polygon = regular_polygon(sides, size, turn=0.3)
    assert Body((polygon,)).shapes == (polygon,)


def test_every_rotation_of_the_vertex_list_is_the_same_verdict() -> None:
    dart = [(0, 0), (4, 0), (1, 1), (0, 4)]
    for k in range(4):
        with pytest.raises(SceneError, match=f"not convex at vertex {(2 - k) % 4}:"):
            Body((Polygon(dart[k:] + dart[:k]),))


def test_box_has_its_width_and_height_about_its_centre() -> None:
    corners = np.array(box(6.0, 2.0, centre=(10.0, 20.0)).vertices)
    assert corners.min(axis=0).tolist() == [7.0, 19.0]
    assert corners.max(axis=0).tolist() == [13.0, 21.0]
    assert Body((box(6.0, 2.0),)).shapes[0] == box(6.0, 2.0)


@pytest.mark.parametrize(("width", "height", "reason"), [(-1.0, 2.0, "width"), (1.0, 0.0, "height")])
def test_box_without_size_is_refused(width: float, height: float, reason: str) -> None:
    with pytest.raises(SceneError, match=f"box: {reason} must be greater than 1e-06"):
        box(width, height)


def test_lists_and_numpy_numbers_become_tuples_of_floats() -> None:
    circle = Circle(np.float32(2.0), np.array([1, 2]))
    polygon = Polygon(np.array([[0, 0], [1, 0], [0, 1]]))
    assert repr(circle) == "Circle(radius=2.0, centre=(1.0, 2.0))"
    assert repr(polygon) == "Polygon(vertices=((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)))"


def test_shapes_are_immutable_and_hashable() -> None:
    assert hash(Circle(1)) == hash(Circle(1.0))
    with pytest.raises(AttributeError):
        Circle(1.0).radius = 2.0
