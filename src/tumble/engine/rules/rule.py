"""Rules: when a rollout is decided, and what happens to a world between two steps.

A rule is a Warp function `(w: World) -> int` that the kernel calls after each step: 0 goes on, anything from 1 to 127
ends the rollout with that verdict. It may ask the world (`queries.py`) and change it (`changes.py`).
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import warp as wp

from tumble.engine.rules.queries import are_touching, current_step, memory, number, parameter, position, remember
from tumble.engine.state.layout import World

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


class RuleError(ValueError):
    """A rule that can't decide these worlds, and why."""


@dataclass(frozen=True)
class Rule:
    """A Warp function with its parameters: arrays of [worlds, n], or of [n] for all worlds alike.

    `settled(w, max_steps) -> (verdict, steps)`, where given, decides a world in which every body sleeps; it must give
    what calling `function` after each of the remaining steps would. `begin(w)`, where given, is called before the
    first step. `uses_impulses` has contacts count their impulses for `contact_at`, and keep how bodies met for
    `meeting_at`. `only_scene_bodies` says that the rule asks only about bodies of the scene and changes nothing, so
    that variants may share the scene's past. `notes` is how many whole numbers it keeps for each world and hands back
    at its end. `resumable` rules can go on from states that a rollout kept.
    """

    function: Any
    settled: Any = None
    ints: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))
    floats: np.ndarray = field(default_factory=lambda: np.zeros(0, np.float32))
    uses_impulses: bool = False
    only_scene_bodies: bool = False
    body_ints: tuple[int, ...] = ()
    """Which of `ints` name bodies; a rollout refuses them where its worlds have no such body."""
    begin: Any = None
    notes: int = 0
    resumable: bool = False
    table_ints: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))
    table_floats: np.ndarray = field(default_factory=lambda: np.zeros(0, np.float32))
    """Numbers for all worlds together, beside the parameters of each."""

    def for_worlds(self, count: int) -> "Rule":
        """The rule with a row of parameters for each of `count` worlds."""
        return replace(self, ints=_rows(self.ints, count), floats=_rows(self.floats, count))

    def check_bodies(self, counts: np.ndarray) -> None:
        """Refuses a rule that asks about bodies which its worlds, with so many bodies each, don't have."""
        for column in self.body_ints:
            asked = self.ints[:, column]
            wrong = np.flatnonzero((asked < 0) | (asked >= counts))
            if len(wrong):
                world = wrong[0]
                raise RuleError(f"world {world}: the rule asks about body {asked[world]} of {counts[world]}")

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
def _go_on(w: World) -> int:
    return 0


@wp.func
def _nothing_happens(w: World, max_steps: int) -> tuple[int, int]:
    return 0, max_steps


RUN_TO_END = Rule(_go_on, _nothing_happens, only_scene_bodies=True)
"""Decides nothing: every world runs for the maximum number of steps."""


@wp.func
def _touch(w: World) -> bool:
    reach = number(w, 0)
    a = parameter(w, 0)
    b = parameter(w, 1)
    if reach > 0.0:
        pa = position(w, a)
        pb = position(w, b)
        x = pa[0] - pb[0]
        y = pa[1] - pb[1]
        return wp.sqrt(x * x + y * y) < reach
    return are_touching(w, a, b)


@wp.func
def _held_touch(w: World) -> int:
    held = int(0)
    if _touch(w):
        held = memory(w, 0) + 1
    remember(w, 0, held)
    if held >= parameter(w, 2):
        return 1
    return 0


@wp.func
def _touch_stays(w: World, max_steps: int) -> tuple[int, int]:
    if _touch(w):
        step = current_step(w) + parameter(w, 2) - memory(w, 0)
        if step <= max_steps:
            return 1, step
    return 0, max_steps


def touching(a: Any, b: Any, hold: Any, reach: Any = 0.0) -> Rule:
    """Verdict 1 once bodies `a` and `b` have touched for `hold` steps in a row.

    Each argument is one number, or one for each world. Bodies touch when the engine reports a touching contact or,
    where `reach` is above 0, when their origins are nearer than that many metres.
    """
    if np.min(hold, initial=1) < 1:
        raise RuleError(f"hold must be 1 step or more, not {np.min(hold)}")
    ints = np.stack(np.broadcast_arrays(a, b, hold), axis=-1).astype(np.int32)
    reaches = np.broadcast_to(np.asarray(reach, np.float32), ints.shape[:-1])[..., None]
    return Rule(_held_touch, _touch_stays, ints, reaches, only_scene_bodies=True, body_ints=(0, 1))
