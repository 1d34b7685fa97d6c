"""A template: a level that is solved by one physical rule, and how tasks are made from it."""

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from tumble.draws import Draws
from tumble.phyq.tasks.accepted_draws import accepted_try
from tumble.phyq.tasks.constants import HALF_WIDTH
from tumble.phyq.tasks.distractors import with_distractors
from tumble.phyq.tasks.level import Block, Level, LevelError, Piece, Pig, Platform
from tumble.phyq.tasks.outlines import bounding_box, outline, overlaps
from tumble.phyq.tasks.trajectory import within_reach
from tumble.phyq.tasks.variation import Anchor, Variation
from tumble.scene import Vec

REACH_MARGIN = 0.2
"""What must be within reach may lie so far above the envelope of all shots: a bird touches it with its edge."""
MISS_MARGIN = 0.4
"""What must be out of reach lies at least so far above it: the radii of a bird and a pig."""
LAUNCH_ROOM = 1.5
"""Nothing comes so near to the bird on the sling."""
SLOP = 0.005
"""How deep pieces may overlap at the start; the physics leaves so much alone."""
MOST_DRAWS = 2000


class TemplateError(ValueError):
    """A template or task that there isn't, or a template that can make no task."""


@dataclass(frozen=True)
class Change:
    """What we changed in a published level, by index of what was there (None takes it away), and why."""

    why: str
    pigs: Mapping[int, Pig | None] = field(default_factory=dict)
    blocks: Mapping[int, Block | None] = field(default_factory=dict)
    platforms: Mapping[int, Platform | None] = field(default_factory=dict)
    added: tuple[Piece, ...] = ()

    def apply(self, level: Level) -> Level:
        """The changed level; indices count the pieces that the level had before."""
        new: dict[str, Any] = {}
        for name, kind in {"pigs": Pig, "blocks": Block, "platforms": Platform}.items():
            changed: Mapping[int, Piece | None] = getattr(self, name)
            kept = (changed.get(k, piece) for k, piece in enumerate(getattr(level, name)))
            more = (piece for piece in self.added if isinstance(piece, kind))
            new[name] = (*(piece for piece in kept if piece is not None), *more)
        return replace(level, **new)


@dataclass(frozen=True)
class Template:
    """One design: how it is solved, its published level, how that is varied, and what must hold for every task.

    Some shot must come near all of `in_reach` and none near `out_of_reach`, obstacles aside. `changes` say where our
    level departs from the published one. Where `direct_shots_may_win` says why, a shot straight at a pig may win; in
    the other templates from scenario 3 on it may not. Where `direct_shots_must_win`, the rule is to shoot straight at
    the pig along the low or the high trajectory, once with each bird.
    """

    id: str
    idea: str
    published: Level
    variation: Variation | None
    in_reach: tuple[Anchor, ...] = ()
    out_of_reach: tuple[Anchor, ...] = ()
    changes: tuple[Change, ...] = ()
    direct_shots_may_win: str = ""
    direct_shots_must_win: bool = False

    @property
    def scenario(self) -> int:
        """The number of its scenario."""
        return int(self.id.split(".")[0])

    @property
    def base(self) -> Level:
        """The published level with our changes, before anything is varied."""
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
        return self.draw(number, accepted_try(self.task_id(number)))

    def draw(self, number: int, try_number: int = 0) -> Level:
        """A level for a task that obeys the template's constraints; another one for each try."""
        draws = Draws(f"phyq {self.task_id(number)} try {try_number}")
        base = self.base
        for _ in range(MOST_DRAWS):
            with suppress(LevelError):  # part of the layout was moved out of the world
                layout, shift = self.variation.apply(base, draws) if self.variation else (base, (0.0, 0.0))
                if self._obeys(layout, shift) and is_sound(layout):
                    level = with_distractors(layout, draws)
                    if is_sound(level):
                        return level
        raise TemplateError(f"template {self.id}: none of {MOST_DRAWS} draws obeys its constraints")

    def _obeys(self, level: Level, shift: Vec) -> bool:
        return all(within_reach(anchor.place(level, shift), REACH_MARGIN) for anchor in self.in_reach) and not any(
            within_reach(anchor.place(level, shift), MISS_MARGIN) for anchor in self.out_of_reach
        )


def is_sound(level: Level) -> bool:
    """Whether all that moves is inside the world, nothing overlaps and the launch has room."""
    for piece in level.pieces:
        box = bounding_box(outline(piece))
        if not isinstance(piece, Platform) and not -HALF_WIDTH <= box.left <= box.right <= HALF_WIDTH:
            return False
        x, y = level.rest_point
        nearest = min(max(x, box.left), box.right), min(max(y, box.bottom), box.top)
        if math.dist(nearest, (x, y)) < LAUNCH_ROOM:
            return False
    return not overlaps(level, SLOP)
