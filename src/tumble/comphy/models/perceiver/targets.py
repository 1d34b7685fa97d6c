"""What the perceiver's network should say: computed from places of bodies and rendered masks, on the device."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from tumble.comphy.catalogue.world import ObjectWorld
from tumble.comphy.models.data.placed import Placed
from tumble.comphy.models.data.shape_geometry import fold_table
from tumble.comphy.models.perceiver.network import CELL, COLUMNS, ROWS, nearest_cells
from tumble.comphy.observation.camera import CAMERA

LEAST_PIXELS = 12
"""A body is to be found if as many of its pixels are visible; if fewer are, it is neither wanted nor wrong."""
HEAT_RADIUS = 0.8
"""Standard deviation of the heat around a centre, in cells."""
IGNORED_RADIUS = 2.0
"""Cells around the centre of a body of which too little is visible, where heat is neither wanted nor wrong."""


@dataclass(frozen=True, eq=False)
class BodyPlaces:
    """Bodies in frames, as tensors."""

    looks: Tensor
    """int64 [frame, body, 3]; below 0 for an absent body."""
    centres: Tensor
    """float32 [frame, body, 2]: the projected centres, x and y in cells."""
    yaws: Tensor
    """float32 [frame, body, 2]: cosine and sine of the yaw times the shape's FOLDS, relative to the view."""
    has_yaw: Tensor
    """bool [frame, body]: whether the heading can be seen."""


@dataclass(frozen=True, eq=False)
class Targets:
    """Targets of a batch."""

    wanted: Tensor
    """bool [frame, body]: bodies to be found."""
    places: BodyPlaces
    cells: Tensor
    """int64 [frame, body, 2]: column and row of the cell that represents a body: the nearest one in the picture."""
    boxes: Tensor
    """float32 [frame, body, 4]: left, top, right and bottom of the visible part, in cells."""
    heat: Tensor
    """float32 [frame, ROWS, COLUMNS]: 1 at the cells of bodies, less around them."""
    ignored: Tensor
    """bool [frame, ROWS, COLUMNS]: where heat is neither wanted nor wrong."""
    labels: Tensor
    """uint8 [frame, HEIGHT, WIDTH]: 0 for the table, k + 1 for body k."""


def view_angles(places: np.ndarray) -> np.ndarray:
    """[...]: the direction from the camera to places [..., 2] on the table, from above."""
    return np.asarray(np.arctan2(places[..., 1] - CAMERA.position[1], places[..., 0] - CAMERA.position[0]))


def body_places(placed: Placed, world: ObjectWorld, device: torch.device) -> BodyPlaces:
    """Bodies in frames as tensors on a device."""
    centres = CAMERA.project(placed.positions)[..., :2] * (COLUMNS, ROWS)
    table = fold_table(world)
    folds = np.where(placed.looks[..., 2] >= 0, table[placed.looks[..., 2]], 0)
    angles = np.where(folds > 0, folds, table.max()) * (placed.poses[..., 2] - view_angles(placed.poses[..., :2]))
    yaws = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    return BodyPlaces(
        torch.from_numpy(placed.looks).to(device),
        torch.from_numpy(centres.astype(np.float32)).to(device),
        torch.from_numpy(yaws.astype(np.float32)).to(device),
        torch.from_numpy(folds > 0).to(device),
    )


def make_targets(places: BodyPlaces, labels: Tensor) -> Targets:
    """Targets of frames with bodies at places and rendered masks `labels` [frame, HEIGHT, WIDTH]."""
    pixels, boxes = visible_parts(labels, places.looks.shape[1])
    wanted, scarce = pixels >= LEAST_PIXELS, (pixels > 0) & (pixels < LEAST_PIXELS)
    cells = nearest_cells(places.centres.floor().long())
    columns = torch.arange(COLUMNS, device=labels.device) - cells[..., 0, None]
    rows = torch.arange(ROWS, device=labels.device) - cells[..., 1, None]
    distance2 = rows[..., :, None].float() ** 2 + columns[..., None, :].float() ** 2  # [frame, body, row, column]
    heat = torch.exp(-0.5 * distance2 / HEAT_RADIUS**2) * wanted[..., None, None]
    ignored = (scarce[..., None, None] & (distance2 <= IGNORED_RADIUS**2)).any(dim=1)
    return Targets(wanted, places, cells, boxes / CELL, heat.amax(dim=1), ignored, labels)


def visible_parts(labels: Tensor, bodies: int) -> tuple[Tensor, Tensor]:
    """Numbers of visible pixels [frame, body], and boxes [frame, body, 4] in pixels, of masks [frame, row, column].

    Right and bottom are exclusive. The box of an invisible body has no meaning.
    """
    counts, boxes = [], []
    for k in range(bodies):
        shows = labels == k + 1
        in_column, in_row = shows.sum(dim=1, dtype=torch.int32), shows.sum(dim=2, dtype=torch.int32)
        left, right = _first_and_end(in_column > 0)
        top, bottom = _first_and_end(in_row > 0)
        counts.append(in_row.sum(dim=1))
        boxes.append(torch.stack([left, top, right, bottom], dim=-1))
    return torch.stack(counts, dim=1), torch.stack(boxes, dim=1).float()


def _first_and_end(occurs: Tensor) -> tuple[Tensor, Tensor]:
    """First index where bool [frame, index] is true, and one more than the last one."""
    index = torch.arange(occurs.shape[1], device=occurs.device)
    first = torch.where(occurs, index, occurs.shape[1]).amin(dim=1)
    return first, torch.where(occurs, index + 1, 0).amax(dim=1)
