"""Which lane of a GPU has which world, where there is a lane for each.

Lanes of a block wait for each other between the parts of a step, and lanes of a warp at every branch; the block with
the most to do decides how long a rollout takes. So a block has worlds that take about the same time, and the fewer of
them the more time they take, spread over all of its warps. Those that take longest begin first.
"""

import numpy as np

from tumble.engine.host.stepping import MULTIPROCESSORS
from tumble.engine.rollout.kernels import NO_WORLD
from tumble.engine.rollout.work_list import WARP

FROM_QUEUE = np.zeros(0, np.int32)
"""As the worlds of lanes: each lane takes the next world of the queue whenever it has none."""


def place_worlds(moving: np.ndarray, block: int, waves: float, exponent: float) -> np.ndarray:
    """int [lanes]: the world of each lane, or NO_WORLD, for whole blocks of this number of lanes.

    `moving` [worlds] is the number of bodies of each world that can move; a world takes about as long as that number
    to the power of `exponent`. Neighbouring worlds are alike. There are about `waves` blocks for each multiprocessor,
    more if they would have more than a world for each lane.
    """
    cost = np.maximum(moving, 1) ** exponent
    share = cost.sum() / (MULTIPROCESSORS * waves)
    batches: list[np.ndarray] = []
    for level in np.unique(cost)[::-1]:
        alike = np.flatnonzero(cost == level)
        size = min(block, int(np.ceil(share / level)))
        batches += np.array_split(alike, -(-len(alike) // size))
    lanes = np.full((len(batches), block // WARP, WARP), NO_WORLD, np.int32)
    for worlds, warps in zip(batches, lanes, strict=True):
        each = -(-len(worlds) // len(warps))
        place = np.arange(len(worlds))
        warps[place // each, place % each] = worlds
    return lanes.reshape(-1)
