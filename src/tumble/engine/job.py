"""One call of `rollout`: what it was asked, what it needs on the device, and what has come of it so far."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tumble.engine import state
from tumble.engine.batch import upload
from tumble.engine.block import Block, frame_count
from tumble.engine.kernel import OVERFLOWED, kernel_for
from tumble.engine.machine import Machine
from tumble.engine.options import EVENT, Options, Rollouts
from tumble.engine.rules import Rule
from tumble.engine.state import Capacity
from tumble.engine.worlds import Worlds

FIRST_CONTACTS = 48
"""Contacts that a lane has room for at first; worlds that need more are rolled out again with twice as many."""
FIRST_EVENTS = 256
BLOCK_BYTES = 256 * 2**20
"""Memory that poses and events of one block of worlds may take."""
BLOCK_WORLDS = 1 << 18


class Job:
    """Worlds under a rule, on a machine."""

    def __init__(self, worlds: Worlds, rule: Rule, options: Options, progress: Callable[[int], None]) -> None:
        self.worlds, self.options, self.progress = worlds, options, progress
        self.rule = rule.for_worlds(len(worlds))
        self.rule.check_bodies(worlds.body_counts())
        self.machine = Machine(options)
        self.uploaded = upload(worlds, options.dt, self.machine.device)
        self.kernel = kernel_for(rule.function, rule.settled)
        used = np.unique(worlds.scene_of)
        width = worlds.changes.target.shape[1]
        self.bodies = int(self.uploaded.bodies[used].max(initial=0)) + width
        self.shapes = int(self.uploaded.shapes[used].max(initial=0)) + width * self.uploaded.kind_shapes
        self.events: list[np.ndarray] = []
        frames = frame_count(options)
        shape = (len(worlds), frames, self.bodies, 3)
        self.result = Rollouts(
            verdicts=np.zeros(len(worlds), np.int8),
            steps=np.zeros(len(worlds), np.int32),
            frames=np.arange(frames, dtype=np.int32) * options.stride,
            poses=np.full(shape, np.nan, np.float32),
            velocities=np.full(shape if options.velocities else (0, 0, 0, 3), np.nan, np.float32),
            events=np.zeros(0, EVENT),
        )

    def finished(self) -> Rollouts:
        """The result, its events in order."""
        if not self.events:
            return self.result
        events = np.concatenate(self.events)
        return replace(self.result, events=events[np.argsort(events["world"], kind="stable")])

    def capacity(self, contacts: int) -> Capacity:
        return Capacity(max(self.bodies, 2), max(self.shapes, 1), contacts)

    def block_size(self) -> int:
        """Worlds to hold at once."""
        if self.options.chunk:
            return self.options.chunk
        per_world = frame_count(self.options) * self.bodies * 12 * (1 + self.options.velocities)
        if self.options.events:
            per_world += FIRST_EVENTS * (state.EVENT_VECS * 16 + state.EVENT_INTS * 4)
        return max(1, min(BLOCK_WORLDS, BLOCK_BYTES // max(per_world, 1)))

    def run_plain(self, members: np.ndarray) -> None:
        """Rolls out some worlds, block by block."""
        size = self.block_size()
        for first in range(0, len(members), size):
            self._run_block(members[first : first + size], FIRST_CONTACTS, FIRST_EVENTS)

    def _run_block(self, members: np.ndarray, contacts: int, event_room: int) -> None:
        """Rolls out a block of worlds; those that didn't fit once more, with twice the room."""
        worlds, rule = self.worlds.take(members), self.rule.take(members)
        capacity = self.capacity(contacts)
        block = Block(self.machine, self.uploaded, worlds, rule, self.options, capacity, event_room)
        block.run(self.kernel, self.progress)
        fits = block.verdicts() != OVERFLOWED
        block.collect(members, fits, self.result, self.events)
        if not fits.all():
            self._run_block(members[~fits], contacts * 2, event_room * 2)
