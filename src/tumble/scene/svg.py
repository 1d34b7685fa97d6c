"""Scenes as SVG text; the title of each body is its name."""

import math
import re
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tumble.scene.checks import PictureError
from tumble.scene.colours import BACKGROUND, PALETTE, colour_index
from tumble.scene.poses import as_poses
from tumble.scene.scene import Scene
from tumble.scene.shapes import Circle, Shape

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_svg(scene: Scene, poses: ArrayLike | None = None) -> str:
    """The scene's view as a self-contained SVG picture, with [bodies, 3] poses (None: the initial ones)."""
    checked = as_poses(scene, poses)
    if checked.ndim != 2:
        raise PictureError(f"to_svg draws one picture: give poses [bodies, 3], got {list(checked.shape)}")
    width, height = decimal(scene.width), decimal(scene.height)
    size = f'width="{width}" height="{height}"'
    present = [k for k, pose in enumerate(checked) if not np.isnan(pose).any()]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}">',
        f'<rect {size} fill="{hex_colour(BACKGROUND)}"/>',
        f'<g transform="translate(0 {height}) scale(1 -1)">',
        *(_body_group(scene, k, checked[k]) for k in present),
        "</g>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _body_group(scene: Scene, index: int, pose: NDArray[np.float64]) -> str:
    body = scene.bodies[index]
    x, y, degrees = decimal(pose[0]), decimal(pose[1]), decimal(math.degrees(pose[2]))
    title = escape(_NOT_XML.sub("\N{REPLACEMENT CHARACTER}", body.name or f"body {index}"))
    shapes = "".join(shape_element(shape) for shape in body.shapes)
    return (
        f'<g transform="translate({x} {y}) rotate({degrees})" fill="{hex_colour(colour_index(body))}">'
        f"<title>{title}</title>{shapes}</g>"
    )


def shape_element(shape: Shape) -> str:
    """A shape in the frame of its body."""
    if isinstance(shape, Circle):
        x, y = shape.centre
        return f'<circle cx="{decimal(x)}" cy="{decimal(y)}" r="{decimal(shape.radius)}"/>'
    points = " ".join(f"{decimal(x)},{decimal(y)}" for x, y in shape.vertices)
    return f'<polygon points="{points}"/>'


def hex_colour(index: int) -> str:
    """A colour of the palette, as in #f34f46."""
    return f"#{PALETTE[index].tobytes().hex()}"


def decimal(value: float) -> str:
    """A number to six decimals, without trailing zeros."""
    return f"{value:.6f}".rstrip("0").rstrip(".")
