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
PHASE_AXES: tuple[tuple[dict[str, Any], ...], ...] = (
    ({"tile": 8}, {"tile": 32}, {"tile": 8, "ascending": True}, {"tile": 32, "ascending": True}, {"ascending": True}),
    ({"streams": 2}, {"streams": 4}),
    ({"joined": True},),
    ({"lanes": 65536}, {"lanes": 262144}),
    ({"phase_registers": LIGHT}, {"phase_registers": (*LIGHT, ("solve", 96))}),
    ({"group": 512}, {"group": 32768}),
    ({"island_threads": 1}, {"island_threads": 4}),
    ({"graph_steps": 8}, {"graph_steps": 32}),
    ({"streams": 3}, {"streams": 8}),
    ({"tile": 0, "ascending": True},),
    ({"classes": 1}, {"classes": 6}),
)
FUSED_AXES: tuple[tuple[dict[str, Any], ...], ...] = (
    ({"tile": 32}, {"tile": 64}, {"tile": 8}),
    ({"order": "place"}, {"order": "mixed"}),
    ({"block": 256, "blocks_per_processor": 2}, {"block": 128, "blocks_per_processor": 4}),
    ({"registers": 64, "blocks_per_processor": 2}, {"block": 256, "registers": 255}),
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
