"""The kernel that computes a floor once, for the pixels of a camera or for a map seen from above."""

import warp as wp

from tumble.comphy.observation.renderer.view import View, ray
from tumble.comphy.observation.staged.floors import floor_surface
from tumble.comphy.observation.staged.noise import hashed
from tumble.comphy.observation.staged.scene import StageRow
from tumble.comphy.observation.staged.warp_module import KERNELS

SAMPLES = wp.constant(3)
"""Points for each pixel along either axis."""
STEP = wp.constant(0.004)
"""Distance to the point whose height says how the floor slopes towards the light."""


@wp.func
def lit_floor(stage: StageRow, x: float, y: float) -> wp.vec3:
    """The floor's colour times the light that its relief takes or adds."""
    towards = wp.vec2(stage.light[0] - x, stage.light[1] - y)
    distance = wp.length(towards)
    towards = towards / wp.max(distance, 1.0e-6)
    here = floor_surface(stage, x, y)
    there = floor_surface(stage, x + STEP * towards[0], y + STEP * towards[1])
    slope = (here[3] - there[3]) / STEP * distance / stage.light[2]
    return wp.vec3(here[0], here[1], here[2]) * wp.clamp(1.0 + 0.75 * slope, 0.45, 1.6)


@wp.kernel(module=KERNELS)
def bake_floor(view: View, plan: wp.vec3, stages: wp.array(dtype=StageRow), floor: wp.array2d(dtype=wp.vec3)) -> None:
    """The mean colour in each pixel; a plan (left, bottom, size of a pixel) with a size above 0 is seen from above."""
    row, column = wp.tid()
    stage = stages[0]
    total = wp.vec3(0.0, 0.0, 0.0)
    samples = int(SAMPLES)
    for i in range(samples):
        for j in range(samples):
            x = float(column) + (float(j) + hashed(row, column, 8 * i + j)) / float(SAMPLES)
            y = float(row) + (float(i) + hashed(column, row, 97 + 8 * i + j)) / float(SAMPLES)
            point = wp.vec3(plan[0] + x * plan[2], plan[1] + y * plan[2], 0.0)
            if plan[2] <= 0.0:
                direction = ray(view, x, y)
                point = view.eye - direction * (view.eye[2] / direction[2])
            total += lit_floor(stage, point[0], point[1])
    floor[row, column] = total / float(SAMPLES * SAMPLES)
