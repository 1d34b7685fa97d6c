"""Random frames to train the perceiver with, and what its network should say of them.

Places of bodies come from the sets, or are drawn at random near each other. Targets are computed from places and
rendered masks, on the device.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from tumble.comphy.catalogue.world import RADIUS, ObjectWorld
from tumble.comphy.models.data.geometry import FORM_POOL, fold_table
from tumble.comphy.models.data.packed_sets import ABSENT, POSITION_SCALE, YAW_SCALE, PackedSets
from tumble.comphy.models.data.pictures import Placed
from tumble.comphy.models.perceiver.network import CELL, COLUMNS, ROWS, nearest_cells
from tumble.comphy.observation.camera import CAMERA
from tumble.learning.harness import step_seed

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


PLACEMENT_TRIES = 24
"""Random placements of which the first one without overlaps is taken."""
NEAREST_PLACED = 2.1 * RADIUS
"""Distance of the centres of bodies that are placed at random, at least; objects of the div world may overlap a little,
as none of them does in videos."""
PLACED_BORDER = 0.06
"""How far beyond the borders of the picture random places may be, as a share of its width and height."""


def look_counts(world: ObjectWorld) -> tuple[int, int, int]:
    """How many colours, materials and shapes there are in a world."""
    return len(world.colors), len(world.materials), len(world.shapes)


class FrameSampler:
    """Draws frames; those of a number depend on the seed and the number only."""

    def __init__(self, sets: PackedSets, seed: int, random_places: float, random_looks: float, stages: int = 1) -> None:
        """`random_places`: share of frames with bodies placed at random; `random_looks`: of frames with other looks;
        `stages`: how many different ones there are, in a world with stages."""
        self.sets, self.seed = sets, seed
        self.random_places, self.random_looks = random_places, random_looks
        self.bodies, self.stages = sets.attributes.shape[1], stages
        self.looks = look_counts(sets.world)

    def sample(self, number: int, count: int) -> Placed:
        """Frames of a number."""
        draws = np.random.default_rng(step_seed(self.seed, number))
        placed = self._from_sets(draws, count)
        apart, places = self._near_each_other(draws, count)
        use = apart & (draws.random(count) < self.random_places)
        has_new_looks = use | (draws.random(count) < self.random_looks)
        present = np.where(use[:, None], np.isfinite(places[..., 0]), placed.looks[..., 0] != ABSENT)
        looks = np.where(has_new_looks[:, None, None], self._looks(draws, count), placed.looks)
        poses = np.where(use[:, None, None], np.nan_to_num(places), placed.poses)
        looks = np.where(present[..., None], looks, ABSENT)
        if self.sets.forms is None:
            return Placed(looks, poses)
        forms = draws.integers(FORM_POOL, size=(count, self.bodies))
        return Placed(looks, poses, forms, draws.integers(self.stages, size=count))

    def _from_sets(self, draws: np.random.Generator, count: int) -> Placed:
        """Random frames of random videos; a body's look is that of its set."""
        sets = self.sets
        rows = draws.integers(len(sets), size=count)
        looks = np.full((count, self.bodies, 3), ABSENT, np.int64)
        packed = np.zeros((count, self.bodies, 3), np.int16)
        videos = draws.integers(-sets.references.shape[1], sets.references.shape[1], size=count)
        is_target = videos < 0
        shown = draws.integers(sets.target.shape[1], size=count)
        looks[is_target] = sets.attributes[rows[is_target]]
        packed[is_target] = sets.target[rows[is_target], shown[is_target]]
        others, numbers = rows[~is_target], videos[~is_target]
        members = sets.members[others, numbers]
        width = members.shape[1]
        chosen = np.take_along_axis(sets.attributes[others], np.maximum(members, 0)[..., None].astype(np.int64), axis=1)
        looks[~is_target, :width] = np.where((members != ABSENT)[..., None], chosen, ABSENT)
        frames = draws.integers(sets.references.shape[2], size=len(others))
        packed[~is_target, :width] = sets.references[others, numbers, frames]
        return Placed(looks, packed / np.array([POSITION_SCALE, POSITION_SCALE, YAW_SCALE]))

    def _near_each_other(self, draws: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Whether a placement was found, and poses [frame, body, 3] of 2 to all bodies, NaN for the others."""
        shape = (PLACEMENT_TRIES, count, self.bodies)
        points = draws.uniform(-PLACED_BORDER, 1.0 + PLACED_BORDER, (count, 2))
        anchors = CAMERA.places(points, RADIUS)
        spread = draws.uniform(0.3, 1.0, count)[:, None, None]
        places = anchors[:, None] + spread * draws.normal(size=(*shape, 2))
        numbers = draws.integers(2, max(self.bodies, 2) + 1, size=count)
        places = np.where((np.arange(self.bodies) < numbers[:, None])[..., None], places, np.nan)
        apart = np.linalg.norm(places[..., :, None, :] - places[..., None, :, :], axis=-1)
        apart[..., np.arange(self.bodies), np.arange(self.bodies)] = np.inf
        valid = (np.nan_to_num(apart, nan=np.inf) > NEAREST_PLACED).all(axis=(-1, -2))
        first = valid.argmax(axis=0)
        chosen = places[first, np.arange(count)]
        yaws = draws.uniform(-np.pi, np.pi, (count, self.bodies, 1))
        return valid.any(axis=0), np.concatenate([chosen, np.where(np.isnan(chosen[..., :1]), np.nan, yaws)], axis=-1)

    def _looks(self, draws: np.random.Generator, count: int) -> np.ndarray:
        """int64 [frame, body, 3]: different looks for the bodies of each frame."""
        order = draws.random((count, int(np.prod(self.looks)))).argsort(axis=1)[:, : self.bodies]
        return np.stack(np.unravel_index(order, self.looks), axis=-1)
