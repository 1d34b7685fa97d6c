"""Variants of training levels: their pieces mirrored, moved, exchanged or left out, as further levels to learn from.

They are made of levels of training templates only. Their solutions are not known, and many have none; what shots do in
them is still the physics that the test levels have.
"""

from contextlib import suppress
from dataclasses import replace

import numpy as np

from tumble.phyq.tasks.constants import GROUND_Y, HALF_WIDTH
from tumble.phyq.tasks.level import Block, Level, LevelError, Piece, Pig, Platform
from tumble.phyq.tasks.outlines import bounding_box, outline
from tumble.phyq.tasks.pieces import BIRD_COLOURS, MATERIAL_NAMES, PIG_SIZES, PIGS, shape_box
from tumble.phyq.tasks.template import is_valid

TRIES = 20
"""Attempts to make a valid variant of a level."""
MIRRORED, SHIFTED, OTHER_BIRD = 0.3, 0.5, 0.1
"""Shares of the variants that are mirrored, shifted as a whole, and shot at with another bird."""
PIG_MOVED, PIG_RESIZED = 0.6, 0.1
"""Chance of each pig to be placed elsewhere, and to get another size."""
BLOCK_LEFT_OUT, BLOCK_EXCHANGED = 0.1, 0.1
"""Chance of each block to be left out, and to get another material."""
PLATFORM_MOVED = 0.1
"""Chance of each platform to be moved."""
SHIFT, PLATFORM_SHIFT = 2.0, 0.5
"""Largest shifts of a level and of a platform, along x and y."""
CLEARANCE = 0.015
"""Between a pig and what it is placed on."""
LEFTMOST = -7.0
"""Mirrored levels are moved to the right of this."""


def variant(level: Level, rng: np.random.Generator) -> Level | None:
    """A random variant of a level, or None if none of TRIES is valid."""
    for _ in range(TRIES):
        with suppress(LevelError):  # a piece was moved out of the world
            made = _changed(level, rng)
            if is_valid(made):
                return made
    return None


def _changed(level: Level, rng: np.random.Generator) -> Level:
    if rng.random() < MIRRORED:
        level = mirrored(level)
    if rng.random() < SHIFTED:
        level = level.shifted(*rng.uniform(-SHIFT, SHIFT, 2).tolist())
    platforms = tuple(_moved(one, rng) if rng.random() < PLATFORM_MOVED else one for one in level.platforms)
    kept = [block for block in level.blocks if rng.random() >= BLOCK_LEFT_OUT]
    blocks = tuple(
        replace(block, material=str(rng.choice(MATERIAL_NAMES))) if rng.random() < BLOCK_EXCHANGED else block
        for block in kept
    )
    pigs = tuple(
        replace(pig, size=str(rng.choice(PIG_SIZES))) if rng.random() < PIG_RESIZED else pig for pig in level.pigs
    )
    level = replace(level, platforms=platforms, blocks=blocks, pigs=pigs)
    pigs = tuple(_placed_on(level, pig, rng) if rng.random() < PIG_MOVED else pig for pig in level.pigs)
    birds = level.birds
    if rng.random() < OTHER_BIRD:
        birds = (str(rng.choice(BIRD_COLOURS)), *birds[1:])
    return replace(level, pigs=pigs, birds=birds)


def mirrored(level: Level) -> Level:
    """The level with left and right exchanged about the middle of its pieces."""
    boxes = [bounding_box(outline(piece)) for piece in level.pieces]
    left, right = min(box.left for box in boxes), max(box.right for box in boxes)
    total = left + right + max(0.0, 2.0 * (LEFTMOST - left))

    def x(piece: Piece) -> float:
        return round(total - piece.x, 5)

    def turned(piece: Piece) -> float:
        # the mirror image of a right-angled triangle is the triangle turned by 90 degrees
        turn = 90.0 if isinstance(piece, Block) and piece.shape == "triangle" else 0.0
        return round((turn - piece.rotation) % 360.0, 5)

    return replace(
        level,
        pigs=tuple(replace(pig, x=x(pig), rotation=turned(pig)) for pig in level.pigs),
        blocks=tuple(replace(block, x=x(block), rotation=turned(block)) for block in level.blocks),
        platforms=tuple(replace(one, x=x(one), rotation=turned(one)) for one in level.platforms),
        tnts=tuple(replace(tnt, x=x(tnt), rotation=turned(tnt)) for tnt in level.tnts),
    )


def _moved(platform: Platform, rng: np.random.Generator) -> Platform:
    x, y = rng.uniform(-PLATFORM_SHIFT, PLATFORM_SHIFT, 2).round(4).tolist()
    return replace(platform, x=platform.x + x, y=platform.y + y)


def _placed_on(level: Level, pig: Pig, rng: np.random.Generator) -> Pig:
    """The pig on top of a random platform or block, or on the ground near the pieces."""
    pieces: tuple[Piece, ...] = (*level.platforms, *level.blocks)
    boxes = [bounding_box(outline(piece)) for piece in pieces]
    number = int(rng.integers(len(boxes) + 1))
    if number == len(boxes):
        left = min((box.left for box in boxes), default=-5.0)
        right = max((box.right for box in boxes), default=5.0)
        x, top = rng.uniform(max(left - 1.0, LEFTMOST), min(right + 1.0, HALF_WIDTH - 1.0)), GROUND_Y
    else:
        box = boxes[number]
        x, top = rng.uniform(box.left, box.right), box.top
    depth = -shape_box(PIGS[pig.size].shape)[1]
    return replace(pig, x=round(float(x), 5), y=round(top + depth + CLEARANCE, 5), rotation=0.0)
