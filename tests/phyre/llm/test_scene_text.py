"""Bodies in words, and their letters."""

import math
from dataclasses import replace

from tumble.phyre.catalogue.task import Task
from tumble.phyre.catalogue.tasks_by_id import task, task_ids, template_of
from tumble.phyre.llm.scene_text import labels_of, letters, scene_text
from tumble.phyre.observation.words import body_name
from tumble.runs.spec import spread_over_groups
from tumble.scene import Body, Circle, Polygon, Scene, box


def test_goal_bodies_are_a_and_b_and_all_seen_bodies_have_a_line() -> None:
    for one in map(task, spread_over_groups(task_ids(), 100, template_of)):
        labels = labels_of(one)
        assert labels.of_body[one.body] == "A"
        assert labels.of_body[one.other] == "B"
        assert len(set(labels.of_body.values())) == len(labels.of_body)
        lines = scene_text(one, labels).splitlines()
        assert [line.partition(":")[0].split(" to ")[0] for line in lines] == [
            labels.of_body[group[0]] for group in labels.groups
        ]
        assert not any("corners" in line for line in lines)  # all published shapes have words


def test_equal_bodies_share_a_letter_and_repeated_ones_are_left_out() -> None:
    one = task("00013:011")
    labels = labels_of(one)
    pegs = labels.groups[-1]
    places = {
        (body.position, body.angle) for body in one.scene.bodies if body.shapes == one.scene.bodies[pegs[0]].shapes
    }
    assert len(pegs) == len(places) == 33
    assert [labels.of_body[k] for k in pegs] == [f"C{number}" for number in range(1, 34)]
    lettered = labels.lettered(one.scene, "text")
    assert len(lettered.bodies) == 4 + 2 + 33
    assert body_name(lettered, lettered.index("C12")) == "ball C12"

    assert labels.names(one.scene, "both")[pegs[0]] == "C1"
    assert labels.names(one.scene, "picture")[pegs[0]] == "the black ball at (179.2, 128)"  # pictures have no C1
    assert labels.names(one.scene, "picture")[one.body] == "A"
    by_place = labels.lettered(one.scene, "picture")
    assert body_name(by_place, by_place.index("black ball at (179.2, 128)")) == "the black ball at (179.2, 128)"


def test_other_shapes_are_told_by_their_corners() -> None:
    triangle = Body((Polygon(((0.0, 0.0), (10.0, 0.0), (0.0, 20.0))),), (100.0, 50.0), math.pi / 2.0, dynamic=True)
    ball = Body((Circle(5.0),), (30.0, 30.0), dynamic=True, role="object")
    bar = replace(Body((box(20.0, 4.0),), (60.0, 60.0), math.radians(170.0)), role="subject")
    one = Task("own:000", "B", Scene((ball, bar, triangle), units_per_metre=6.0), 0, 1)
    assert scene_text(one, labels_of(one)).splitlines() == [
        "A: dynamic green ball, radius 5 at (30, 30)",
        "B: static purple bar, 20 x 4 at (60, 60), angle -10",
        "C: dynamic gray bar, corners (100, 50) (100, 60) (80, 50)",
    ]


def test_letters_go_on_after_z() -> None:
    assert [letters(number) for number in (0, 25, 26, 27, 51, 52)] == ["A", "Z", "AA", "AB", "AZ", "BA"]
