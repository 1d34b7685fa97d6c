"""Random frames to train the perceiver with: places of bodies from the sets, or placed at random near each other."""

import numpy as np

from tumble.comphy.catalogue.world import RADIUS, ObjectWorld
from tumble.comphy.models.data.outline_points import FORM_POOL
from tumble.comphy.models.data.packed_sets import ABSENT, POSITION_SCALE, YAW_SCALE, PackedSets
from tumble.comphy.models.data.placed import Placed
from tumble.comphy.observation.camera import CAMERA
from tumble.learning.trainer import step_seed

TRIES = 24
"""Random placements of which the first one without overlaps is taken."""
NEAREST = 2.1 * RADIUS
"""Distance of the centres of bodies that are placed at random, at least; objects of the div world may overlap a little,
as none of them does in videos."""
BORDER = 0.06
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
        shape = (TRIES, count, self.bodies)
        points = draws.uniform(-BORDER, 1.0 + BORDER, (count, 2))
        anchors = CAMERA.places(points, RADIUS)
        spread = draws.uniform(0.3, 1.0, count)[:, None, None]
        places = anchors[:, None] + spread * draws.normal(size=(*shape, 2))
        numbers = draws.integers(2, max(self.bodies, 2) + 1, size=count)
        places = np.where((np.arange(self.bodies) < numbers[:, None])[..., None], places, np.nan)
        apart = np.linalg.norm(places[..., :, None, :] - places[..., None, :, :], axis=-1)
        apart[..., np.arange(self.bodies), np.arange(self.bodies)] = np.inf
        valid = (np.nan_to_num(apart, nan=np.inf) > NEAREST).all(axis=(-1, -2))
        first = valid.argmax(axis=0)
        chosen = places[first, np.arange(count)]
        yaws = draws.uniform(-np.pi, np.pi, (count, self.bodies, 1))
        return valid.any(axis=0), np.concatenate([chosen, np.where(np.isnan(chosen[..., :1]), np.nan, yaws)], axis=-1)

    def _looks(self, draws: np.random.Generator, count: int) -> np.ndarray:
        """int64 [frame, body, 3]: different looks for the bodies of each frame."""
        order = draws.random((count, int(np.prod(self.looks)))).argsort(axis=1)[:, : self.bodies]
        return np.stack(np.unravel_index(order, self.looks), axis=-1)
