"""What models know of the shapes of a world: laws of motion, headings that can be seen, and mean outlines from above.

Tensors have shapes as one-hot vectors or probabilities over the shapes of a world. Their width tells the world, since
no two worlds have as many shapes.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tumble.comphy.catalogue.world import HALF_HEIGHTS, PLAIN, WORLDS, ObjectWorld, WorldError
from tumble.comphy.objects.shape import build_object
from tumble.comphy.simulation.laws import deceleration

FOLDS = {
    **{"cube": 4, "sphere": 0, "cylinder": 0},
    **{"mug": 1, "pot": 2, "chair": 1, "table": 2, "sofa": 1, "lamp": 0, "bottle": 0, "teapot": 1, "bucket": 2},
    **{"bowl": 0, "trophy": 2, "hourglass": 0, "cone": 4},
}
"""By how many headings in a full turn each shape looks the same; 0 for a round one, whose heading can't be seen."""
ANGLES = 128
"""Directions in which the reach of an outline is known."""
MEAN_FORMS = range(4)
"""Forms of a shape of which outlines are averaged."""
DIRECTIONS = torch.linspace(-0.7, 0.7, 9)
"""Radians from the line that joins two bodies, of lines that may separate them."""
_BY_WIDTH = {len(world.shapes): world for world in WORLDS.values()}
assert len(_BY_WIDTH) == len(WORLDS), "two worlds with as many shapes can't be told apart"


def world_of_shapes(shapes: Tensor) -> ObjectWorld:
    """The world of shapes [..., shape].

    >>> world_of_shapes(torch.zeros(2, 13)).name
    'div'
    """
    width = shapes.shape[-1]
    if width not in _BY_WIDTH:
        raise WorldError(f"no world has {width} shapes")
    return _BY_WIDTH[width]


def fold_table(world: ObjectWorld) -> np.ndarray:
    """int [shape]: FOLDS of a world's shapes."""
    return np.array([FOLDS[shape] for shape in world.shapes])


def folds_of(shapes: Tensor) -> Tensor:
    """[...]: the folds of shapes [..., shape]."""
    return shapes @ _constant(world_of_shapes(shapes).name, "folds", shapes.dtype, shapes.device)


def has_heading(shapes: Tensor) -> Tensor:
    """[...]: 1 for shapes [..., shape] whose heading can be seen, else 0."""
    return shapes @ _constant(world_of_shapes(shapes).name, "turning", shapes.dtype, shapes.device)


def laws_of(shapes: Tensor) -> Tensor:
    """[..., 2]: friction and damping of shapes [..., shape]."""
    return shapes @ _constant(world_of_shapes(shapes).name, "laws", shapes.dtype, shapes.device)


def heights_of(shapes: Tensor) -> Tensor:
    """[...]: heights of centres above the table, from shapes [..., shape] as one-hot vectors; 0 for no shape."""
    return shapes @ _constant(world_of_shapes(shapes).name, "heights", shapes.dtype, shapes.device)


@lru_cache(maxsize=64)
def _constant(world: str, name: str, dtype: torch.dtype, device: torch.device) -> Tensor:
    shapes = WORLDS[world].shapes
    values = np.array([_VALUES[name](shape) for shape in shapes], float)
    return torch.tensor(values, dtype=dtype, device=device)


def _mean_reach(shape: str) -> np.ndarray:
    """float64 [ANGLES]: how far an object reaches in each direction from above, the mean of some forms."""
    angles = np.arange(ANGLES) * (2.0 * np.pi / ANGLES)
    lines = np.stack([np.cos(angles), np.sin(angles)])
    reaches = [(build_object(shape, form).mesh.vertices[:, :2] @ lines).max(axis=0) for form in MEAN_FORMS]
    return np.asarray(np.mean(reaches, axis=0))


_VALUES: dict[str, Callable[[str], Any]] = {
    "folds": lambda shape: FOLDS[shape],
    "turning": lambda shape: FOLDS[shape] > 0,
    "laws": deceleration,
    "heights": lambda shape: HALF_HEIGHTS[shape],
    "reaches": _mean_reach,
}


def object_gaps(offset: Tensor, yaws: Tensor, shapes: Tensor) -> Tensor:
    """[world, frame, one, other]: gaps between the mean outlines of objects of the div world; below 0 they overlap.

    Of some lines through both, the one with the largest gap separates convex outlines. offset is
    [world, frame, one, other, 2], yaws [world, frame, body], shapes [world, body, shape].
    """
    assert world_of_shapes(shapes) is not PLAIN
    worlds, _, bodies = yaws.shape
    reaches = shapes @ _constant(world_of_shapes(shapes).name, "reaches", shapes.dtype, shapes.device)
    line = torch.atan2(offset[..., 1], offset[..., 0])[..., None]
    turned = line + DIRECTIONS.to(offset.device, offset.dtype)
    distance = torch.linalg.vector_norm(offset, dim=-1)[..., None] * DIRECTIONS.to(offset.device, offset.dtype).cos()
    first = torch.arange(worlds * bodies, device=offset.device).view(worlds, 1, bodies) * ANGLES
    one = _looked_up(reaches, first[..., :, None, None], turned - yaws[:, :, :, None, None])
    other = _looked_up(reaches, first[..., None, :, None], turned + torch.pi - yaws[:, :, None, :, None])
    gaps: Tensor = (distance - one - other).amax(-1)
    return gaps


def _looked_up(reaches: Tensor, first: Tensor, angles: Tensor) -> Tensor:
    """Reaches [world, body, ANGLES] of the bodies whose rows start at `first`, in directions relative to them."""
    places = torch.remainder(torch.round(angles * (ANGLES / (2.0 * torch.pi))).long(), ANGLES)
    return reaches.flatten()[first + places]
