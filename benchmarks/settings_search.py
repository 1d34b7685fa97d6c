"""The best settings of the engine on a GPU, one setting after the other: each keeps the best value found before it."""

import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from table import Results

from tumble.engine.host.stepping import FusedSettings, PhaseSettings

PHASE_AXES: tuple[tuple[dict[str, Any], ...], ...] = (
    ({"team": 32}, {"team": 4}),
    ({"large_from": 2}, {"large_from": 8}),
    ({"large_from": 10000},),
    ({"lanes": 131072},),
    ({"graph_steps": 32},),
)
"""Beside teams: none at all, with an island of any size for a thread."""
FUSED_AXES: tuple[tuple[dict[str, Any], ...], ...] = (
    ({"block": 1024, "blocks_per_processor": 1, "registers": 64},),
    ({"block": 512, "blocks_per_processor": 2, "registers": 64},),
    ({"block": 512, "blocks_per_processor": 1, "registers": 128},),
)
"""With many worlds …"""
FEW_AXES: tuple[tuple[dict[str, Any], ...], ...] = (
    ({"block": 512, "blocks_per_processor": 2, "registers": 64},),
    ({"block": 256, "blocks_per_processor": 2, "registers": 128},),
    ({"waves": 0.0}, {"waves": 1.0}, {"waves": 1.75}),
    ({"exponent": 1.0}, {"exponent": 2.0}),
)
"""… and with few, which leave room for more registers of a thread."""
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
            try:
                value = rate(chosen)
            except Exception as error:  # the other settings still count
                traceback.print_exc()
                results.add(f"{label}, {named(chosen)}", "failed", "", "", str(error).splitlines()[0][:200])
                continue
            results.add(f"{label}, {named(chosen)}", f"{value:,.0f}")
            if value > LEAST_GAIN * highest:
                found, highest = chosen, value
        best = found
    results.add(f"{label}, best: {named(best)}", f"{highest:,.0f}")
    return best
