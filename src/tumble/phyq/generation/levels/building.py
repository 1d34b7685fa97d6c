"""A building: blocks and pigs that are placed one on the other, in coordinates of its own.

x is 0 in the middle of the building and y is 0 at its foot.
"""

from dataclasses import dataclass, field, replace
from typing import TypeVar

from tumble.phyq.tasks.distractors import RESTING_GAP
from tumble.phyq.tasks.level import Block, Pig
from tumble.phyq.tasks.pieces import BLOCKS, PIGS, shape_box

DECIMALS = 4
UPRIGHT = 90.0
AnyPiece = TypeVar("AnyPiece", Block, Pig)


@dataclass
class Building:
    """Blocks and pigs; `place` and `add_pig` add one that stands on a given height."""

    blocks: list[Block] = field(default_factory=list)
    pigs: list[Pig] = field(default_factory=list)

    def place(self, shape: str, material: str, x: float, foot: float, rotation: float = 0.0) -> float:
        """Adds a block whose lower side is at height `foot`; returns the height of its upper side."""
        low, high = extent(shape, rotation)
        y = foot + RESTING_GAP - low
        self.blocks.append(Block(shape, material, round(x, DECIMALS), round(y, DECIMALS), rotation))
        return y + high

    def add_pig(self, size: str, x: float, foot: float) -> float:
        """Adds a pig that stands at height `foot`; returns the height of its top."""
        _, low, _, high = shape_box(PIGS[size].shape)
        y = foot + RESTING_GAP - low
        self.pigs.append(Pig(size, round(x, DECIMALS), round(y, DECIMALS)))
        return y + high

    @property
    def half_width(self) -> float:
        """The largest distance of a block or pig from the middle."""
        blocks = [abs(block.x) + width_of(block.shape, block.rotation) / 2.0 for block in self.blocks]
        return max([*blocks, *(abs(pig.x) + PIGS[pig.size].size[0] / 2.0 for pig in self.pigs)])

    @property
    def height(self) -> float:
        """The height of the highest block or pig."""
        blocks = [block.y + extent(block.shape, block.rotation)[1] for block in self.blocks]
        return max([*blocks, *(pig.y + PIGS[pig.size].size[1] / 2.0 for pig in self.pigs)])

    def at(self, x: float, foot: float) -> tuple[list[Block], list[Pig]]:
        """Blocks and pigs of the building on a foot in the world."""

        def moved(piece: AnyPiece) -> AnyPiece:
            return replace(piece, x=round(piece.x + x, DECIMALS), y=round(piece.y + foot, DECIMALS))

        return [moved(one) for one in self.blocks], [moved(one) for one in self.pigs]


def extent(shape: str, rotation: float = 0.0) -> tuple[float, float]:
    """The lowest and the highest y of a block, which lies or stands upright."""
    left, bottom, right, top = shape_box(BLOCKS[shape, "wood"].shape)
    return (left, right) if rotation == UPRIGHT else (bottom, top)


def width_of(shape: str, rotation: float = 0.0) -> float:
    """The width of a block, which lies or stands upright."""
    wide, high = BLOCKS[shape, "wood"].size
    return high if rotation == UPRIGHT else wide
