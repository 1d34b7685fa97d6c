"""The symbolic state has the published form, and the tensor shows every kind in its channel."""

import json
from typing import Any

import numpy as np
import pytest

from tumble.phyq.catalogue.level import Block, Level, Pig, Platform, Tnt
from tumble.phyq.catalogue.tasks import task
from tumble.phyq.observation.objects import GameObject, moved, objects_of, poses_of
from tumble.phyq.observation.symbolic import CHANNELS, state_tensor, symbolic_state

LEVEL = Level(
    ("red", "blue"),
    (Pig("medium", 0.0, -3.1), Pig("small", 2.0, -3.2)),
    (Block("rect_big", "wood", 4.0, -3.0), Block("square_hole", "ice", 6.0, -3.0), Block("circle", "stone", 8.0, -3.0)),
    (Platform(-4.0, 0.0, 90.0, 4.0, 0.5),),
    (Tnt(10.0, -3.0),),
)


def features(**options: Any) -> list[dict[str, Any]]:
    (collection,) = symbolic_state(objects_of(LEVEL), **options)
    assert collection["type"] == "FeatureCollection"
    return list(json.loads(json.dumps(collection["features"])))


def labels_of(found: list[dict[str, Any]]) -> list[str]:
    return [feature["properties"]["label"] for feature in found]


def test_order_and_labels_of_the_development_mode() -> None:
    assert labels_of(features(labels=True)) == [
        "Ground", "Slingshot", "pig_basic_small_1", "pig_basic_medium_1", "bird_red_1", "bird_blue_1", "stone_circle_1",
        "ice_square_hole_1", "wood_rect_big_1", "TNT", "Platform",
    ]  # fmt: skip
    assert set(labels_of(features())) == {"Ground", "Slingshot", "Object"}


def test_platforms_can_be_left_out() -> None:
    assert "Platform" not in labels_of(features(labels=True, platforms=False))


def test_polygons_are_whole_pixels_from_the_upper_left() -> None:
    found = {
        feature["properties"]["label"]: feature["geometry"].get("coordinates") for feature in features(labels=True)
    }
    assert features()[0]["properties"]["yindex"] == 286  # 285.7 by the camera's figures
    # px = (x + 17.5) * 640 / 35, py = 480 - (y + 14.125) * 640 / 35, of (x ± 0.943, y ± 0.092)
    assert found["wood_rect_big_1"][0] == [[376, 278], [376, 275], [410, 275], [410, 278]]  # from the lower left one
    assert sorted(found["Platform"][0]) == [[244, 198], [244, 245], [250, 198], [250, 245]]
    assert len(found["ice_square_hole_1"]) == 2
    assert found["Slingshot"] == [[[92, 286], [92, 248], [104, 248], [104, 286]]]


def test_colour_shares_are_the_published_ones() -> None:
    found = {feature["properties"]["label"]: feature["properties"]["colormap"] for feature in features(labels=True)}
    assert found["bird_blue_1"] == [{"color": 119, "percent": 0.40}, {"color": 0, "percent": 0.22}]
    assert found["pig_basic_small_1"] == [{"color": 125, "percent": 0.50}]
    for colours in found.values():
        assert sum(colour["percent"] for colour in colours) <= 1.0
        assert all(0 <= colour["color"] <= 255 for colour in colours)


def test_labels_of_triangles_are_those_of_the_published_pictures() -> None:
    shapes = [GameObject("block", name, "wood") for name in ("triangle", "triangle_hole")]
    assert labels_of(symbolic_state(shapes, labels=True)[0]["features"])[2:] == ["wood_triang_1", "wood_triang_hole_1"]


def test_ids_stay_with_objects() -> None:
    start = objects_of(LEVEL)
    poses = poses_of(start)
    poses[1] = np.nan
    before, after = (
        {feature["properties"]["label"]: feature["properties"]["id"] for feature in found[0]["features"]}
        for found in (symbolic_state(start, labels=True), symbolic_state(moved(start, poses), labels=True))
    )
    assert before.pop("pig_basic_small_1") not in after.values()
    assert before == after
    assert len(set(after.values())) == len(after)


def test_life_and_damage_stage() -> None:
    damaged = GameObject("block", "rect_big", "wood", life=0.4)
    properties = symbolic_state([damaged], labels=True)[0]["features"][-1]["properties"]
    assert (properties["label"], properties["currentLife"]) == ("wood_rect_big_3", pytest.approx(40.0))


def test_noise_shifts_whole_rings_but_not_birds() -> None:
    plain, noisy = features(labels=True), features(labels=True, noise=np.random.default_rng(1))
    for before, after in zip(plain, noisy, strict=True):
        if not before["geometry"]:
            continue
        for old, new in zip(before["geometry"]["coordinates"], after["geometry"]["coordinates"], strict=True):
            shift = np.subtract(new, old)
            if before["properties"]["label"].startswith(("Sling", "bird")):
                assert not shift.any()
            assert np.ptp(shift, axis=0).max() <= 1  # of rounding
            assert np.hypot(*shift.T).max() <= 2.0 + 2.0**0.5
    assert plain != noisy


def test_objects_off_the_screen_are_left_out() -> None:
    gone = [GameObject("pig", "small", x=18.0), GameObject("pig", "small", y=13.0), GameObject("pig", "small", y=-4.0)]
    assert len(symbolic_state(gone)[0]["features"]) == 2
    assert len(symbolic_state([GameObject("pig", "small")])[0]["features"]) == 3


def test_a_trail_is_a_multi_point() -> None:
    trail = symbolic_state([], trail=np.array([(-12.15, -1.7), (0.0, 0.0)]))[0]["features"][2]
    assert trail["geometry"] == {"type": "MultiPoint", "coordinates": [[98, 253], [320, 222]]}


def test_tensor_channels() -> None:
    tensor = state_tensor(objects_of(LEVEL))
    assert tensor.shape == (120, 160, 12)
    assert set(np.unique(tensor)) == {0, 1}
    shown = {name for k, name in enumerate(CHANNELS) if tensor[..., k].any()}
    assert shown == {"slingshot", "red", "blue", "pig", "wood", "ice", "stone", "tnt", "platform"}
    assert not state_tensor(objects_of(LEVEL), platforms=False)[..., CHANNELS.index("platform")].any()
    rows, columns = np.nonzero(tensor[..., CHANNELS.index("wood")])
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (
        68,
        69,
        93,
        102,
    )  # of 4 pixels


def test_tensor_of_objects_outside_is_empty() -> None:
    outside = [GameObject("pig", "small", x=x, y=y) for x, y in ((30.0, 0.0), (-30.0, 0.0), (0.0, 30.0), (0.0, -30.0))]
    assert not state_tensor(outside)[..., CHANNELS.index("pig")].any()


def test_every_template_has_a_state() -> None:
    for key in ("3.1:000", "12.3:000", "14.1:000", "15.3:000"):
        seen = objects_of(task(key).level)
        assert len(symbolic_state(seen)[0]["features"]) == 2 + len(seen)
        assert state_tensor(seen)[..., CHANNELS.index("pig")].any()
