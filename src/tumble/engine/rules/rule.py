"""Rules: when a rollout is decided, and what happens to a world between two steps.

A rule is a Warp function `(w: World) -> int` that the kernel calls after each step: 0 continues, anything from 1 to 127
ends the rollout with that verdict. It may read the world (`queries.py`) and change it (`changes.py`).
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import warp as wp

from tumble.engine.rules.queries import (
    are_touching,
    current_step,
    float_param,
    int_param,
    position,
    scratch_int,
    set_scratch_int,
)
from tumble.engine.state.world import World
from tumble.errors import TumbleError

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


class RuleError(TumbleError):
    """A rule that can't be applied to these worlds, and why."""


@dataclass(frozen=True)
class Rule:
    """A Warp function with its parameters: arrays [worlds, n], or [n] for all worlds alike.

    `settled(w, max_steps) -> (verdict, steps)`, if given, decides a world in which every body sleeps; it must return
    what calling `function` after each of the remaining steps would. `too_late(w, max_steps)`, if given, tells that
    `function` would return 0 after each of them, whatever happens: the world then ends at once, unless more than its
    verdict and number of steps is wanted. `begin(w)`, if given, is called before the first
    step, or the first after resuming. `uses_impulses` has contacts sum their impulses for `contact_at`, and record hits
    for `hit_at`. `only_scene_bodies` promises that the rule reads only bodies of the scene and changes nothing, so that
    variants may share the scene's past. `output_ints` is the number of ints that it returns for each world. Rollouts
    under a `resumable` rule can save their states and resume from saved ones.
    """

    function: Any
    settled: Any = None
    ints: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))
    floats: np.ndarray = field(default_factory=lambda: np.zeros(0, np.float32))
    uses_impulses: bool = False
    only_scene_bodies: bool = False
    body_ints: tuple[int, ...] = ()
    """Which columns of `ints` are bodies; a rollout checks that its worlds have them."""
    begin: Any = None
    output_ints: int = 0
    resumable: bool = False
    table_ints: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))
    table_floats: np.ndarray = field(default_factory=lambda: np.zeros(0, np.float32))
    """Tables [n] that all worlds share, beside the parameters of each."""
    too_late: Any = None

    @property
    def can_share_past(self) -> bool:
        """Whether variants of a scene may share its past under this rule."""
        return self.only_scene_bodies and not self.resumable and not self.output_ints

    def for_worlds(self, count: int) -> "Rule":
        """The rule with a row of parameters for each of `count` worlds."""
        return replace(self, ints=_rows(self.ints, count), floats=_rows(self.floats, count))

    def check_bodies(self, counts: np.ndarray) -> None:
        """Raises a RuleError if the rule names a body that its world doesn't have; `counts` int [worlds] of bodies."""
        for column in self.body_ints:
            bodies = self.ints[:, column]
            wrong = np.flatnonzero((bodies < 0) | (bodies >= counts))
            if len(wrong):
                world = wrong[0]
                raise RuleError(
                    f"world {world}: the rule names body {bodies[world]}, but the world has {counts[world]} bodies"
                )

    def take(self, worlds: np.ndarray) -> "Rule":
        """The rule for some of the worlds."""
        return replace(self, ints=self.ints[worlds], floats=self.floats[worlds])


def _rows(values: np.ndarray, count: int) -> np.ndarray:
    rows = np.atleast_1d(np.asarray(values))
    if rows.ndim == 1:
        return np.broadcast_to(rows, (count, len(rows)))
    if len(rows) != count:
        raise RuleError(f"the rule has parameters for {len(rows)} worlds, but there are {count}")
    return rows


@wp.func
def _undecided(w: World) -> int:
    return 0


@wp.func
def _stays_undecided(w: World, max_steps: int) -> tuple[int, int]:
    return 0, max_steps


RUN_TO_END = Rule(_undecided, _stays_undecided, only_scene_bodies=True)
"""Decides nothing: every world runs for the maximum number of steps."""


@wp.func
def touch(w: World) -> bool:
    """Whether bodies 0 and 1 of `Rule.ints` touch; where 0 of `Rule.floats` is above 0, by distance."""
    reach = float_param(w, 0)
    a = int_param(w, 0)
    b = int_param(w, 1)
    if reach > 0.0:
        pa = position(w, a)
        pb = position(w, b)
        x = pa[0] - pb[0]
        y = pa[1] - pb[1]
        return wp.sqrt(x * x + y * y) < reach
    return are_touching(w, a, b)


@wp.func
def _touched_long_enough(w: World) -> int:
    held = int(0)
    if touch(w):
        held = scratch_int(w, 0) + 1
    set_scratch_int(w, 0, held)
    if held >= int_param(w, 2):
        return 1
    return 0


@wp.func
def _keeps_touching(w: World, max_steps: int) -> tuple[int, int]:
    if touch(w):
        step = current_step(w) + int_param(w, 2) - scratch_int(w, 0)
        if step <= max_steps:
            return 1, step
    return 0, max_steps


@wp.func
def _too_late_to_touch(w: World, max_steps: int) -> bool:
    return scratch_int(w, 0) + max_steps - current_step(w) < int_param(w, 2)


def touching(a: Any, b: Any, hold: Any, reach: Any = 0.0) -> Rule:
    """Verdict 1 once bodies `a` and `b` have touched for `hold` steps in a row.

    Each argument is one number, or one for each world. Bodies touch when they have a touching contact or, where
    `reach` is above 0, when their origins are nearer than that many metres.
    """
    if np.min(hold, initial=1) < 1:
        raise RuleError(f"hold must be 1 step or more, not {np.min(hold)}")
    ints = np.stack(np.broadcast_arrays(a, b, hold), axis=-1).astype(np.int32)
    reaches = np.broadcast_to(np.asarray(reach, np.float32), ints.shape[:-1])[..., None]
    return Rule(
        _touched_long_enough,
        _keeps_touching,
        ints,
        reaches,
        too_late=_too_late_to_touch,
        only_scene_bodies=True,
        body_ints=(0, 1),
    )
