"""A template: a level that one physical rule solves, and how tasks are drawn from it."""

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from inspect import cleandoc
from typing import Any

from tumble.draws import Draws
from tumble.errors import TumbleError
from tumble.phyq.tasks.accepted_draws import accepted_draw
from tumble.phyq.tasks.constants import HALF_WIDTH
from tumble.phyq.tasks.distractors import with_distractors
from tumble.phyq.tasks.level import Block, Level, LevelError, Piece, Pig, Platform
from tumble.phyq.tasks.outlines import bounding_box, outline, overlaps
from tumble.phyq.tasks.rule import Rule
from tumble.phyq.tasks.trajectory import within_reach
from tumble.phyq.tasks.variation import Anchor, Variation
from tumble.scene import Vec

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
