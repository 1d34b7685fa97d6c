"""User input on the command line: balls and polygons as text, points as a file; and texts that describe it."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from tumble.bounded import BoundError, read_text
from tumble.errors import TumbleError
from tumble.output import plural
from tumble.phyre.cli.describe import body_name
from tumble.phyre.simulation.input_worlds import within_view
from tumble.phyre.simulation.overlap import Obstacles
from tumble.phyre.simulation.user_input import UserInput
from tumble.scene import Scene

MOST_BYTES = 1 << 22
"""Of a file of points, of which a scene has 65,536."""


def parse_input(balls: Sequence[str], polygons: Sequence[str], points: Path | None) -> UserInput:
    """The user input of `--ball "x,y,radius"`, `--polygon "x,y x,y x,y"` and `--points FILE`."""
    parsed = UserInput(
        [_vector("--ball", ball) for ball in balls],
        [[_vector("--polygon", vertex) for vertex in polygon.split()] for polygon in polygons],
        _read_points(points) if points else [],
    )
    parsed.bodies  # noqa: B018 - raises if something is malformed
    return parsed


def _vector(option: str, text: str) -> list[float]:
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        expected = {"--ball": '"x,y,radius"', "--polygon": '"x,y x,y x,y"'}[option]
        raise TumbleError(f"{option} must be {expected} in pixels; {text!r} is not numbers with commas") from None


def _read_points(file: Path) -> list[list[int]]:
    """The points of a text file: two whole numbers on each line, x and y."""
    try:
        lines = read_text(file, MOST_BYTES).splitlines()
    except BoundError as error:
        raise TumbleError(f"{file}: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise TumbleError(f"{file}: {getattr(error, 'strerror', None) or 'not a text file'}") from None
    points = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            match = re.fullmatch(r"\s*(-?\d{1,9})[\s,]+(-?\d{1,9})\s*", line)
            if not match:
                raise TumbleError(
                    f"{file}, line {number}: expected x and y as whole numbers, got {line.strip()[:40]!r}"
                )
            points.append([int(match[1]), int(match[2])])
    return points


def describe_input(user_input: UserInput) -> str:
    """What a user input places."""
    balls, polygons = len(user_input.balls), len(user_input.polygons)
    counts = {"ball": balls, "polygon": polygons, "drawn shape": len(user_input.bodies) - balls - polygons}
    return " and ".join(plural(count, noun) for noun, count in counts.items() if count) or "nothing placed"


def input_problem(scene: Scene, user_input: UserInput) -> str:
    """Why a user input is invalid; empty if it is valid."""
    first, whole = len(scene.bodies), scene.with_bodies(*user_input.bodies)
    for index in range(first, len(whole.bodies)):
        if not within_view(scene, [whole.bodies[index]]):
            return f"{body_name(whole, index)} leaves the scene, which is {scene.width:g} by {scene.height:g} pixels"
    for index in range(first, len(whole.bodies)):
        others = [*range(first), *range(index + 1, len(whole.bodies))]
        single_bodies = Obstacles([replace(whole, bodies=(whole.bodies[other],)) for other in others])
        clear = single_bodies.clear_bodies(np.arange(len(others)), [[whole.bodies[index]]] * len(others))
        overlapped = [body_name(whole, others[row]) for row in np.flatnonzero(~clear)]
        if overlapped:
            return f"{body_name(whole, index)} overlaps {' and '.join(overlapped)}"
    return ""
