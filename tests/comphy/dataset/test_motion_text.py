"""The text of motion is JSON that is read as the same numbers, whatever these are."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sample_set import motion

from tumble.comphy.catalogue.body import DECIMALS
from tumble.comphy.dataset.motion_files import decimals, euler_angles, motion_text


def text_of(number: float) -> str:
    text, keep = decimals(np.array([[number]]))
    return str(text[keep].tobytes(), "ascii")


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1e-6, "0.000001"),
        (-12.5, "-12.5"),
        (100.07, "100.07"),
        (999.999999, "999.999999"),
    ],
)
def test_numbers_have_no_needless_zeros(number: float, text: str) -> None:
    assert text_of(number) == text


def test_rounded_numbers_are_read_as_the_same_bits() -> None:
    draws = np.random.default_rng(1)
    scales = 10.0 ** draws.uniform(-7, 2.9, 5000)
    for number in np.round(draws.uniform(-1.0, 1.0, 5000) * scales, DECIMALS):
        assert float(text_of(number)).hex() == float(number).hex()


@pytest.mark.parametrize("number", [np.nan, np.inf, -1000.0])
def test_numbers_that_no_motion_has_are_refused(number: float) -> None:
    with pytest.raises(ValueError, match="finite numbers below 1000"):
        text_of(number)


@pytest.mark.parametrize(("bodies", "frames"), [(1, 1), (3, 20)])
def test_the_text_has_every_field_of_every_object(bodies: int, frames: int) -> None:
    moved = replace(motion(bodies, frames, 4), in_view=np.arange(bodies * frames).reshape(frames, bodies) % 3 > 0)
    document = json.loads(b"{" + motion_text(moved) + b"}")
    assert document["collision"] == [{"object_idxs": [0, 1], "step": step} for step in (33, 341)]
    assert len(document["motion_trajectory"]) == frames
    angles = np.round(euler_angles(moved.orientations), DECIMALS)
    for frame, row in enumerate(document["motion_trajectory"]):
        assert row == {
            "objects": [
                {
                    "location": moved.positions[frame, body].tolist(),
                    "orientation": angles[frame, body].tolist(),
                    "velocity": moved.velocities[frame, body].tolist(),
                    "angular_velocity": moved.angular_velocities[frame, body].tolist(),
                    "quaternion": moved.orientations[frame, body].tolist(),
                    "inside_scene": bool(moved.in_view[frame, body]),
                }
                for body in range(bodies)
            ]
        }
    assert (
        "orientation" not in json.loads(b"{" + motion_text(moved, False) + b"}")["motion_trajectory"][0]["objects"][0]
    )
