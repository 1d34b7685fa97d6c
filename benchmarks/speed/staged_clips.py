"""Clips of everyday objects on stages, to measure their renderer with."""

import numpy as np

from tumble.comphy.catalogue.body import COLORS
from tumble.comphy.catalogue.video_set import FLOORS, LIGHTS, Stage
from tumble.comphy.catalogue.world import SHOWN_FRAMES
from tumble.comphy.objects.shape import CATEGORIES
from tumble.comphy.observation.staged import PATTERNS, ObjectLook, StagedClip

PLACES = np.array([(-0.9, -0.6), (0.5, -0.5), (-0.6, 0.6), (0.6, 0.5), (0.0, 1.5)])
SURFACES = ("metal", "rubber", *PATTERNS)


def staged_clip(seed: int, frames: int) -> StagedClip:
    """Five objects of different materials that move slowly and turn; seeds 0 to 8 have all nine floors."""
    random = np.random.default_rng(seed)
    looks = []
    for k in range(len(PLACES)):
        surface = SURFACES[(seed + k) % len(SURFACES)]
        looks.append(
            ObjectLook(
                CATEGORIES[(len(PLACES) * seed + k) % len(CATEGORIES)],
                int(random.integers(1000)),
                COLORS[int(random.integers(len(COLORS)))],
                "metal" if surface == "metal" else "rubber",
                surface if surface in PATTERNS else "plain",
            )
        )
    steps = np.arange(frames)[:, None, None] / SHOWN_FRAMES
    count = len(PLACES)
    flat = PLACES + random.uniform(-0.2, 0.2, (count, 2)) + steps * random.uniform(-0.5, 0.5, (count, 2))
    half = 0.5 * (random.uniform(0.0, 6.3, count) + 3.0 * steps[..., 0])
    turned = np.stack([np.cos(half), np.zeros_like(half), np.zeros_like(half), np.sin(half)], axis=-1)
    stage = Stage(FLOORS[seed % len(FLOORS)], LIGHTS[seed // 2 % len(LIGHTS)], seed)
    return StagedClip(tuple(looks), np.insert(flat, 2, 0.0, axis=2), turned, stage)
