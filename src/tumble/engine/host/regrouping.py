"""Fused kernels by turns: launches of some steps each, between which worlds change lanes (`rollout/regroup.py`).

Worlds move from one half of the lanes' memory to the other and, the next time, back. How many launches there are is
decided beforehand, so that the host waits for nothing; the last one makes all steps that are left.
"""

from dataclasses import dataclass
from typing import Any, cast

import warp as wp

from tumble.engine.host.machine import Machine
from tumble.engine.host.stepping import FusedSettings
from tumble.engine.rollout.kernels import Turns
from tumble.engine.rollout.output import Lanes
from tumble.engine.rollout.regroup import KERNELS, PARTS, WORK_CLASSES, Regroup, move_worlds, place_lanes, weigh_lanes
from tumble.engine.rollout.work_list import WARP
from tumble.engine.state.world import World

MOST_BYTES = 2**33
"""Memory of lanes, at most, that is there twice. Worlds of larger lanes stay there: all steps are in one launch."""
NO_LIMIT = 1 << 30
"""As a number of turns: until all worlds are over."""


@dataclass(frozen=True)
class Half:
    """Memory of all lanes."""

    world: Any
    occupied: Any  # int [lanes]: 1 where a lane has a world
    arrays: tuple[Any, ...] = ()


def regroupings(worlds: int, lanes: int, max_steps: int, steps: int) -> int:
    """How often worlds are regrouped, at most: each lane may have several worlds, one after the other."""
    turns = -(-worlds * max_steps // lanes) + max_steps
    return -(-turns // steps)


def kernels_beside(machine: Machine) -> tuple[Any, ...]:
    """The kernels to load beside those by turns: at once with them, since they are compiled in parallel."""
    return KERNELS if machine.regroup_steps else ()


class Regrouping:
    """Lanes of a chunk between which worlds move; whoever has it must keep it until the kernels are done."""

    def __init__(self, machine: Machine, settings: FusedSettings, world: World, lanes: Lanes, lane_count: int) -> None:
        self.machine, self.settings, self.lanes, self.lane_count = machine, settings, lanes, lane_count
        device = machine.device
        self.halves = [Half(world, wp.empty(lane_count, dtype=int, device=device))]
        self._moves: list[list[Any]] = []
        if lane_count * (16 * lanes.vecs + 4 * lanes.ints) > MOST_BYTES:
            return
        vecs = wp.empty(lane_count * lanes.vecs, dtype=wp.vec4, device=device)
        ints = wp.empty(lane_count * lanes.ints, dtype=int, device=device)
        occupied = wp.empty(lane_count, dtype=int, device=device)
        self.halves.append(Half(_with_memory(world, vecs, ints), occupied, (vecs, ints)))
        self._counts = wp.zeros(WORK_CLASSES, dtype=int, device=device)
        self.regroup = Regroup()
        self.regroup.lanes, self.regroup.block = lane_count, settings.block
        self.regroup.fewest = settings.fewest_per_warp
        self.regroup.counts = self._counts.ptr
        for name in ("classes", "ranks", "sources"):
            setattr(self.regroup, name, wp.empty(lane_count, dtype=int, device=device))
        machine.load(*KERNELS, block_dim=settings.block)
        self._moves = [self._move(0, 1), self._move(1, 0)]

    def run(self, kernel: Any, inputs: list[Any], worlds: int, max_steps: int) -> None:
        """Rolls that many worlds of the queue out; `inputs` are all that the kernel takes between lanes and turns."""
        steps = self.settings.regroup_steps
        self.halves[0].occupied.zero_()
        rounds = regroupings(worlds, self.lane_count, max_steps, steps) if self._moves else 0
        some = [self._fused(kernel, half, inputs, worlds, steps) for half in self.halves]
        for turn in range(rounds):
            some[turn % 2].launch()
            for command in self._moves[turn % 2]:
                command.launch()
        self._fused(kernel, self.halves[rounds % 2], inputs, worlds, NO_LIMIT).launch()

    def _fused(self, kernel: Any, half: Half, inputs: list[Any], worlds: int, limit: int) -> Any:
        turns = Turns()
        turns.limit = limit
        turns.worlds_per_warp = min(WARP, -(-worlds * WARP // self.lane_count))
        turns.occupied = half.occupied
        return self._command(kernel, self.lane_count, [half.world, self.lanes, *inputs, turns])

    def _move(self, source: int, target: int) -> list[Any]:
        """Moves all worlds from one half to the other."""
        before, after = self.halves[source], self.halves[target]
        lanes, regroup, count = self.lanes, self.regroup, self.lane_count
        return [
            self._command(weigh_lanes, count, [before.world, lanes, before.occupied, regroup]),
            self._command(place_lanes, count, [before.occupied, regroup]),
            self._command(move_worlds, (PARTS, count), [before.world, after.world, lanes, regroup, after.occupied]),
        ]

    def _command(self, kernel: Any, dim: Any, inputs: list[Any]) -> Any:
        block = self.settings.block
        return wp.launch(kernel, dim=dim, inputs=inputs, device=self.machine.device, block_dim=block, record_cmd=True)


def _with_memory(world: World, vecs: Any, ints: Any) -> World:
    """The same world in other memory."""
    result = World()
    for name in cast(Any, World).vars:
        setattr(result, name, getattr(world, name))
    result.vecs, result.ints = vecs.ptr, ints.ptr
    return result
