"""The best settings of the engine on a GPU, one setting after the other: each keeps the best value found before it."""

import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from table import Results

from tumble.engine.host.stepping import FEW_WORLDS, MANY_WORLDS, FusedSettings, PhaseSettings

PHASE_AXES: tuple[tuple[dict[str, Any], ...], ...] = (
    ({"team": 32}, {"team": 4}),
    ({"large_from": 2}, {"large_from": 8}),
    ({"large_from": 10000},),
    ({"ascending": True},),
    ({"streams": 2},),
    ({"lanes": 131072},),
    ({"tile": 32},),
    ({"graph_steps": 32},),
)
"""Beside teams: none at all, with an island of any size for a thread."""
FUSED_AXES: tuple[tuple[dict[str, Any], ...], ...] = (
    ({"block": 512, "blocks_per_processor": 2},),
    ({"block": 768, "blocks_per_processor": 1, "registers": 80},),
)
"""With many worlds …"""
FEW_AXES: tuple[tuple[dict[str, Any], ...], ...] = (
    ({"block": 512, "blocks_per_processor": 1, "registers": 128},),
    ({"block": 256, "blocks_per_processor": 2, "registers": 128},),
)
"""… and with few, which leave room for more registers of a thread."""
PHYRE_PHASES = PhaseSettings(lanes=131072, tile=32, ascending=True, streams=2, large_from=16)
"""The best settings of phases for PHYRE that were found before."""
PHYRE_PHASE_AXES: tuple[tuple[dict[str, Any], ...], ...] = (
    ({"streams": 4}, {"streams": 8}),
    ({"registers": 64},),
    ({"large_from": 6},),
    ({"tile": 1},),
)
REGROUP_STEPS = (8, 24, 48, 96)
"""Steps of fused kernels after which worlds are regrouped."""
S = TypeVar("S", PhaseSettings, FusedSettings)
LEAST_GAIN = 1.01
"""A value must be this much better than the best so far to replace it."""


def variants(base: Any, axes: Sequence[Sequence[dict[str, Any]]]) -> Iterator[Any]:
    """The base and its neighbours: between them they need every kernel that the search may need, or almost."""
    yield base
    for axis in axes:
        for change in axis:
            yield replace(base, **change)


def named(settings: PhaseSettings | FusedSettings) -> str:
    """What differs from the defaults."""
    base = type(settings)()
    changed = {key: value for key, value in vars(settings).items() if value != getattr(base, key)}
    return ", ".join(f"{key} {value}" for key, value in changed.items()) or "defaults"


def regrouped(base: FusedSettings, steps: Sequence[int] = REGROUP_STEPS, **change: Any) -> list[FusedSettings]:
    """Changed settings without regrouping, and with it after each of these numbers of steps."""
    chosen = replace(base, **change)
    return [chosen, *(replace(chosen, regroup_steps=one) for one in steps)]


MANY_REGROUPED = regrouped(MANY_WORLDS)
PACKED = [replace(MANY_WORLDS, regroup_steps=48, fewest_per_warp=one) for one in (8, 32)]
"""For groups of worlds that a GPU works on at a time: the last ones of each in few blocks."""
FEW_REGROUPED = [
    *regrouped(FEW_WORLDS),
    *(replace(FEW_WORLDS, regroup_steps=one, lanes_per_world=2) for one in REGROUP_STEPS),
    *regrouped(FEW_WORLDS, (48,), block=256, registers=128),
]
"""65,550 worlds have two lanes each at most."""
FEWEST_REGROUPED = [
    *regrouped(FEW_WORLDS, (48,)),
    *(replace(FEW_WORLDS, regroup_steps=one, lanes_per_world=32) for one in REGROUP_STEPS),
    *regrouped(FEW_WORLDS, (48,), block=256, registers=128),
    replace(FEW_WORLDS, block=256, registers=128, regroup_steps=48, lanes_per_world=32),
]
"""A few thousand worlds have a warp each."""


def tried(chosen: S, rate: Callable[[S], float], label: str, results: Results) -> float:
    """The rate with some settings, as a row of the results; 0 where they fail: others still count."""
    try:
        value = rate(chosen)
    except Exception as error:
        traceback.print_exc()
        results.add(f"{label}, {named(chosen)}", "failed", "", "", str(error).splitlines()[0][:200])
        return 0.0
    results.add(f"{label}, {named(chosen)}", f"{value:,.0f}")
    return value


def search(
    base: S,
    axes: Sequence[Sequence[dict[str, Any]]],
    rate: Callable[[S], float],
    label: str,
    deadline: float,
    results: Results,
) -> S:
    """Tries the values of each axis with the best settings so far, until a point of time; returns the best."""
    best, highest = base, rate(base)
    results.add(f"{label}, {named(base)}", f"{highest:,.0f}")
    for axis in axes:
        found = best
        for change in axis:
            if time.perf_counter() > deadline:
                results.add(f"{label}, stopped", "", "", "", "the time was used up")
                return found
            chosen = replace(best, **change)
            value = tried(chosen, rate, label, results)
            if value > LEAST_GAIN * highest:
                found, highest = chosen, value
        best = found
    results.add(f"{label}, best: {named(best)}", f"{highest:,.0f}")
    return best
