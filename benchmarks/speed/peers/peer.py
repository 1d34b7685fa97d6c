"""What an adapter of another engine is, and which there are.

An adapter is a module of this folder with

| name | what |
| --- | --- |
| `TITLE` | the engine and its version |
| `DIFFERENCES` | which work is not the same as ours |
| `DEVICES` | devices that it runs on: cpu, cuda |
| `ONE_BY_ONE` | whether it steps one world after the other |
| `can_build(scene)` | whether it can simulate a scene as it is |
| `roll_out(scenes, steps, device)` | a `Stepped`: every scene stepped so often, at 60 steps a second |

Importing it raises ModuleNotFoundError where its engine is not installed (`requirements.txt`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from tumble.scene import Scene

ADAPTERS = ("box2d_peer", "pymunk_peer", "mujoco_peer", "jax2d_peer")
INSTALL = f"pip install -r {Path(__file__).with_name('requirements.txt').relative_to(Path(__file__).parents[3])}"
DT = 1.0 / 60.0


def clock(device: str) -> Callable[[], float]:
    """What times are measured by: the time of all cores on a CPU, which other programs do not disturb much."""
    return process_time if device == "cpu" else perf_counter


@dataclass(frozen=True)
class Stepped:
    """Scenes after some steps."""

    seconds: float
    """Of stepping alone, by the clock of the device: building worlds and compiling kernels are not counted."""
    poses: list[np.ndarray]
    """Of each scene [body, (x, y, angle)], in scene units."""


@dataclass(frozen=True)
class Peer:
    """An installed engine."""

    name: str
    title: str
    differences: str
    devices: tuple[str, ...]
    one_by_one: bool
    can_build: Callable[[Scene], bool]
    roll_out: Callable[[Sequence[Scene], int, str], Stepped]


def find_peer(name: str) -> Peer | None:
    """The peer of an adapter; None if its engine is not installed."""
    try:
        adapter: Any = import_module(f"peers.{name}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith(("peers", "tumble")):
            raise
        return None
    return Peer(
        name,
        adapter.TITLE,
        adapter.DIFFERENCES,
        adapter.DEVICES,
        adapter.ONE_BY_ONE,
        adapter.can_build,
        adapter.roll_out,
    )
