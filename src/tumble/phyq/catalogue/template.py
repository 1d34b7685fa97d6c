"""A template: a level that one physical rule solves, and how tasks are drawn from it.

A draw moves the layout and adds distractors: objects on the ground that the solution does not need, at a distance
from everything it does; their constants are those of the published generator. `accepted_draws.txt` says which draw
became the level of a task, where it was not the first.
"""

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from inspect import cleandoc
from pathlib import Path
from typing import Any

from tumble.draws import Draws
from tumble.errors import TumbleError
from tumble.phyq.catalogue.level import Block, Level, LevelError, Piece, Pig, Platform, bounding_box, outline, overlaps
from tumble.phyq.catalogue.physics import (
    BLOCK_SHAPES,
    BLOCKS,
    GROUND_Y,
    HALF_WIDTH,
    MATERIAL_NAMES,
    PLATFORM_SIDE,
    shape_box,
)
from tumble.phyq.catalogue.rule import Rule
from tumble.phyq.catalogue.trajectory import within_reach
from tumble.phyq.catalogue.variation import Anchor, Variation
from tumble.scene import Vec
from tumble.scene.files import whole_file

DISTRACTOR_COUNT = 3
DISTRACTOR_KINDS = (*BLOCK_SHAPES, "platform")
MOST_DISTRACTOR_DRAWS = 100
"""Positions that are drawn for a distractor; if none is free, the task has one distractor less."""
DISTRACTOR_X = (-9.96, 9.397)
DISTRACTOR_CLEARANCE = 1.05
"""The least gap on both sides to everything else near the ground."""
NEAR_GROUND = -2.5
"""Pieces that reach below this height count as near the ground."""
RESTING_GAP = 0.015
"""Distance of a resting piece to what it rests on."""


def with_distractors(level: Level, draws: Draws, count: int = DISTRACTOR_COUNT) -> Level:
    """The level with up to `count` distractors added."""
    boxes = [bounding_box(outline(piece)) for piece in level.pieces]
    taken = [(box.left, box.right) for box in boxes if box.bottom < NEAR_GROUND]
    blocks, platforms = list(level.blocks), list(level.platforms)
    for _ in range(count):
        for _ in range(MOST_DISTRACTOR_DRAWS):
            kind, material, x = (
                draws.one_of(DISTRACTOR_KINDS),
                draws.one_of(MATERIAL_NAMES),
                round(draws.between(*DISTRACTOR_X), 4),
            )
            left, bottom, right, _ = _distractor_box(kind, material)
            if all(
                x + right + DISTRACTOR_CLEARANCE <= low or x + left - DISTRACTOR_CLEARANCE >= high
                for low, high in taken
            ):
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


def _distractor_box(kind: str, material: str) -> tuple[float, float, float, float]:
    if kind == "platform":
        half = PLATFORM_SIDE / 2.0
        return -half, RESTING_GAP - half, half, half  # a platform touches the ground
    return shape_box(BLOCKS[kind, material].shape)


ACCEPTED_DRAWS_FILE = "accepted_draws.txt"


def accepted_draw(task_id: str) -> int:
    """The number of the draw that is the task's level.

    >>> accepted_draw("1.4:000")
    0
    """
    return _shipped_draws().get(task_id, 0)


@cache
def _shipped_draws() -> Mapping[str, int]:
    return parse_accepted_draws(
        resources.files("tumble.phyq").joinpath("data", ACCEPTED_DRAWS_FILE).read_text(encoding="ascii")
    )


def parse_accepted_draws(text: str) -> dict[str, int]:
    """Draw numbers by task, from a text with an id and a number on each line.

    >>> parse_accepted_draws("3.2:004 1")
    {'3.2:004': 1}
    """
    return {task_id: int(number) for task_id, number in map(str.split, text.splitlines())}


def read_accepted_draws(folder: Path) -> dict[str, int]:
    """The draw numbers of the file in a folder; empty if there is no file."""
    path = folder / ACCEPTED_DRAWS_FILE
    return parse_accepted_draws(path.read_text(encoding="ascii")) if path.exists() else {}


def write_accepted_draws(folder: Path, accepted: Mapping[str, int]) -> None:
    """Writes the file into a folder."""
    with whole_file(folder / ACCEPTED_DRAWS_FILE) as partial:
        partial.write_text("".join(f"{task_id} {number}\n" for task_id, number in accepted.items()), encoding="ascii")


REACH_MARGIN = 0.2
"""How far above the envelope of all shots an anchor may lie and still be within reach: a bird touches with its edge."""
MISS_MARGIN = 0.4
"""How far above the envelope an anchor must lie to be out of reach: the radii of a bird and a pig."""
LAUNCH_CLEARANCE = 1.5
"""The least distance of pieces to the bird on the slingshot."""
SLOP = 0.005
"""The largest overlap of pieces at the start; the physics does not resolve smaller ones."""
MOST_DRAWS = 2000


class TemplateError(TumbleError):
    """A template, scenario or task that does not exist, or a template without valid tasks."""


@dataclass(frozen=True)
class Change:
    """What we changed in a published level, and why: pieces by index, with their replacement or None to remove them."""

    why: str
    pigs: Mapping[int, Pig | None] = field(default_factory=dict)
    blocks: Mapping[int, Block | None] = field(default_factory=dict)
    platforms: Mapping[int, Platform | None] = field(default_factory=dict)
    added: tuple[Piece, ...] = ()

    def apply(self, level: Level) -> Level:
        """The changed level; indices refer to the given level."""
        new: dict[str, Any] = {}
        for name, kind in {"pigs": Pig, "blocks": Block, "platforms": Platform}.items():
            changed: Mapping[int, Piece | None] = getattr(self, name)
            kept = (changed.get(k, piece) for k, piece in enumerate(getattr(level, name)))
            more = (piece for piece in self.added if isinstance(piece, kind))
            new[name] = (*(piece for piece in kept if piece is not None), *more)
        return replace(level, **new)


@dataclass(frozen=True)
class Template:
    """One design: its description, its published level, how that is varied, and what must hold for every task.

    The description has the idea in its first paragraph, then the headings Bodies, Parameters, Goal and Solvability, as
    PHYRE's templates have. Some shot must come near every anchor in `in_reach` and none near those in `out_of_reach`,
    obstacles aside. `changes` say where our level differs from the published one. A non-empty `direct_shots_may_win`
    says why a shot straight at a pig may win; in the other templates from scenario 3 on it must not. If
    `direct_shots_must_win`, the rule is to shoot straight at the pig on the low or the high trajectory, once with each
    bird. A solution must follow the `rule`, if there is one. `fixed_angle_cap` is the largest share of tasks that one
    angle, repeated with every bird, may win, if it differs from that of the other templates (generation/checks.py).
    """

    id: str
    description: str
    published: Level
    variation: Variation | None
    in_reach: tuple[Anchor, ...] = ()
    out_of_reach: tuple[Anchor, ...] = ()
    changes: tuple[Change, ...] = ()
    variation_change: str = ""
    direct_shots_may_win: str = ""
    direct_shots_must_win: bool = False
    rule: Rule | None = None
    fixed_angle_cap: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "description", cleandoc(self.description))
        if self.rule is not None:
            self.rule.check(self.base)

    @property
    def idea(self) -> str:
        """The first paragraph of the description, on one line."""
        return " ".join(self.description.partition("\n\n")[0].split())

    @property
    def scenario(self) -> int:
        """The number of the scenario."""
        return int(self.id.split(".")[0])

    @property
    def base(self) -> Level:
        """The published level with our changes, not varied."""
        level = self.published
        for change in self.changes:
            level = change.apply(level)
        return level

    def task_id(self, number: int) -> str:
        """The id of a task."""
        if number < 0:
            raise TemplateError(f"template {self.id} numbers its tasks from 0; there is no {number}")
        return f"{self.id}:{number:03d}"

    def level(self, number: int) -> Level:
        """The level of a task: the draw that was accepted for it."""
        return self.draw(number, accepted_draw(self.task_id(number)))

    def draw(self, number: int, draw_number: int = 0) -> Level:
        """A random level for a task that meets the template's constraints; each draw number gives another."""
        draws = Draws(f"phyq {self.task_id(number)} try {draw_number}")  # this text seeds every level: never change it
        base = self.base
        for _ in range(MOST_DRAWS):
            with suppress(LevelError):  # part of the layout was moved out of the world
                layout, shift = self.variation.apply(base, draws) if self.variation else (base, (0.0, 0.0))
                if self._meets_constraints(layout, shift) and is_valid(layout):
                    level = with_distractors(layout, draws)
                    if is_valid(level):
                        return level
        raise TemplateError(f"template {self.id}: none of {MOST_DRAWS} draws meets its constraints")

    def _meets_constraints(self, level: Level, shift: Vec) -> bool:
        return all(within_reach(anchor.position(level, shift), REACH_MARGIN) for anchor in self.in_reach) and not any(
            within_reach(anchor.position(level, shift), MISS_MARGIN) for anchor in self.out_of_reach
        )


def is_valid(level: Level) -> bool:
    """Whether pigs, blocks and TNT are inside the world, nothing overlaps and the launch is clear."""
    for piece in level.pieces:
        box = bounding_box(outline(piece))
        if not isinstance(piece, Platform) and not -HALF_WIDTH <= box.left <= box.right <= HALF_WIDTH:
            return False
        x, y = level.rest_point
        nearest = min(max(x, box.left), box.right), min(max(y, box.bottom), box.top)
        if math.dist(nearest, (x, y)) < LAUNCH_CLEARANCE:
            return False
    return not overlaps(level, SLOP)
