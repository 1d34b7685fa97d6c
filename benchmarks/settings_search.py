"""The best settings of the engine on a GPU, one setting after the other: each keeps the best value found before it."""

import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from table import Results

from tumble.engine.host.fused_settings import FusedSettings
from tumble.engine.host.phase_settings import PhaseSettings

LIGHT = tuple((name, 64) for name in ("contacts", "islands", "new_pairs"))
"""Few registers for the phases that wait for memory: more threads wait at a time."""
ALL_LIGHT = (*((name, 64) for name in ("contacts", "islands", "new_pairs", "solve", "impacts", "resolve")),)
PHASE_AXES: tuple[tuple[dict[str, Any], ...], ...] = (
    ({"streams": 4}, {"streams": 8}),
    ({"phase_registers": LIGHT}, {"phase_registers": ALL_LIGHT}),
    ({"lanes": 262144}, {"lanes": 65536}),
    ({"joined": True},),
    ({"graph_steps": 8}, {"graph_steps": 32}),
    ({"island_threads": 1}, {"island_threads": 4}),
    ({"tile": 64}, {"tile": 128}),
    ({"group": 1024}, {"group": 16384}),
    ({"classes": 1}, {"classes": 6}),
)
FUSED_AXES: tuple[tuple[dict[str, Any], ...], ...] = (
    ({"registers": 40, "blocks_per_processor": 3}, {"registers": 32, "blocks_per_processor": 4}),
    ({"tile": 32}, {"tile": 64}, {"tile": 16}),
    ({"order": "place"},),
    ({"block": 256, "blocks_per_processor": 4}, {"block": 128, "blocks_per_processor": 8}),
)
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
