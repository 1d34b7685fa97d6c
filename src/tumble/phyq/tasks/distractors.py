"""Distractors: objects on the ground that the solution does not need, at a distance from everything it does.

The constants are those of the published generator.
"""

from dataclasses import replace

from tumble.draws import Draws
from tumble.phyq.tasks.constants import GROUND_Y
from tumble.phyq.tasks.level import Block, Level, Platform
from tumble.phyq.tasks.outlines import bounding_box, outline
from tumble.phyq.tasks.pieces import BLOCK_SHAPES, BLOCKS, MATERIAL_NAMES, PLATFORM_SIDE, shape_box

COUNT = 3
KINDS = (*BLOCK_SHAPES, "platform")
MOST_DRAWS = 100
"""Positions that are drawn for a distractor; if none is free, the task has one distractor less."""
X = (-9.96, 9.397)
CLEARANCE = 1.05
"""The least gap on both sides to everything else near the ground."""
NEAR_GROUND = -2.5
"""Pieces that reach below this height count as near the ground."""
RESTING_GAP = 0.015
"""Distance of a resting piece to what it rests on."""


def with_distractors(level: Level, draws: Draws, count: int = COUNT) -> Level:
    """The level with up to `count` distractors added."""
    boxes = [bounding_box(outline(piece)) for piece in level.pieces]
    taken = [(box.left, box.right) for box in boxes if box.bottom < NEAR_GROUND]
    blocks, platforms = list(level.blocks), list(level.platforms)
    for _ in range(count):
        for _ in range(MOST_DRAWS):
            kind, material, x = draws.one_of(KINDS), draws.one_of(MATERIAL_NAMES), round(draws.between(*X), 4)
            left, bottom, right, _ = _box(kind, material)
            if all(x + right + CLEARANCE <= low or x + left - CLEARANCE >= high for low, high in taken):
                break
        else:
            continue
        taken.append((x + left, x + right))
        y = round(GROUND_Y + RESTING_GAP - bottom, 5)
        if kind == "platform":
            platforms.append(Platform(x, y))
        else:
            blocks.append(Block(kind, material, x, y))
    return replace(level, blocks=tuple(blocks), platforms=tuple(platforms))


def _box(kind: str, material: str) -> tuple[float, float, float, float]:
    if kind == "platform":
        half = PLATFORM_SIDE / 2.0
        return -half, RESTING_GAP - half, half, half  # a platform touches the ground
    return shape_box(BLOCKS[kind, material].shape)
