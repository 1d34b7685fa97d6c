"""The time of each kernel of a step in phases, how many of its threads have work, and how alike that work is."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import warp as wp
from cubin import kernel_code
from engine_phase_work import Work
from table import Results

from tumble import engine
from tumble.engine.host.chunk import Chunk
from tumble.engine.host.job import FIRST_CONTACTS, Job
from tumble.engine.host.phase_settings import PhaseSettings
from tumble.engine.host.phased import Part, PhasedRun, PhaseInputs, kernels_of
from tumble.engine.rollout.lifecycle import Past
from tumble.engine.rollout.work_list import WARP
from tumble.engine.state.layout import (
    BODY_INTS,
    CONSTRAINT_INTS,
    CONTACT_INTS,
    HEADER_INTS,
    ISLAND_CONSTRAINTS,
    ISLAND_INTS,
    SHAPE_INTS,
    Capacity,
)

LIST_OF = {
    "contacts": "active",
    "contacts_islands": "active",
    "islands": "active",
    "solve": "islands",
    "new_pairs": "active",
    "impacts": "impacts",
    "resolve": "resolve",
}
"""The list that each kernel takes its work from; `begin` and `finish` go over all lanes."""
LOOK_EVERY = 40
"""Steps after which the lists are read."""


def phased_run(work: Work, device: str, settings: PhaseSettings) -> tuple[PhasedRun, Chunk, list[Any]]:
    """A run over the first worlds, as many as there are lanes or all, that has not begun; its chunk and kernels."""
    options = engine.Options(device=device, share_past=False)
    job = Job(work.worlds, work.rule, options, lambda _: None)
    members = np.arange(len(work))
    capacity = job.capacity(FIRST_CONTACTS)
    chunk = Chunk(job.machine, job.uploaded, work.worlds, job.rule.take(members), options, capacity)
    past = Past()
    kernels = kernels_of(job.kernels.roll_out, settings)
    job.machine.load(*kernels, block_dim=settings.block)
    inputs = PhaseInputs(
        chunk.world, chunk.lanes(0), chunk.batch, chunk.settings, chunk.out, past, chunk.lane_count, capacity
    )
    return PhasedRun(job.machine, settings, job.kernels.roll_out, inputs, len(work)), chunk, kernels


class Clock:
    """Times what a device does: events on a GPU, processor time on a CPU."""

    def __init__(self, device: Any) -> None:
        self.device = device

    def mark(self) -> Any:
        if self.device.is_cpu:
            return time.perf_counter()
        return self.device.stream.record_event(wp.Event(self.device, enable_timing=True))

    def seconds(self, begin: Any, end: Any) -> float:
        return float(end - begin) if self.device.is_cpu else wp.get_event_elapsed_time(begin, end) / 1e3


def phase_table(work: Work, device: str, settings: PhaseSettings, label: str, steps: int, results: Results) -> None:
    """Makes some steps, launch by launch, and adds a row for each kernel."""
    whole, chunk, kernels = phased_run(work, device, replace(settings, streams=1))
    (run,) = whole.parts
    clock = Clock(run.machine.device)
    marks: dict[str, list[tuple[Any, Any]]] = {name: [] for name in ("begin", *run.step)}
    counts: dict[str, list[np.ndarray]] = {name: [] for name in LIST_OF}
    alike: list[tuple[float, float]] = []
    for step in range(steps):
        if step % settings.graph_steps == 0:
            marks["begin"].append(launched(clock, run.begin))
        looking = step % LOOK_EVERY == LOOK_EVERY - 1
        for name, command in run.step.items():
            if looking and name in LIST_OF:
                counts[name].append(listed(run, LIST_OF[name]))
            if looking and name == "solve":
                alike.append(usefulness(run, chunk))
            marks[name].append(launched(clock, command))
    wp.synchronize_device(run.machine.device)
    seconds = {name: sum(clock.seconds(*pair) for pair in pairs) for name, pairs in marks.items()}
    total = sum(seconds.values())
    codes = {name: code_of(kernel, settings.block) for name, kernel in zip(("begin", *run.step), kernels, strict=True)}
    for name, taken in seconds.items():
        note = f"{1e6 * taken / max(len(marks[name]), 1):.0f} us a launch"
        if counts.get(name):
            note += "; " + list_note(counts[name], run.lane_count)
        if codes[name]:
            note += "; " + codes[name]
        results.add(f"{label}, {name}", f"{100 * taken / total:.1f} %", "", "", note)
    note = f"{steps} steps, {run.lane_count} lanes, {len(work)} worlds, {int(whole.unfinished.numpy()[0])} unfinished"
    results.add(f"{label}, a step", f"{1e6 * total / steps:.0f} us", "", "", note)
    if alike:
        islands, lanes = np.mean(alike, axis=0)
        note = f"{100 * lanes:.0f} % with a world for each thread, unsorted; by constraints, iterations not counted"
        results.add(f"{label}, useful threads of a warp that solves", f"{100 * islands:.0f} %", "", "", note)


def listed(run: Part, name: str) -> np.ndarray:
    """How many items each bin of a list has; of a list of flags, each warp."""
    if name == "active" and run.settings.ascending:
        return np.asarray(run.queue.occupied.numpy()).reshape(-1, WARP).sum(axis=1)
    return np.array(run.arrays[f"{name} counts"].numpy())


def launched(clock: Clock, command: Any) -> tuple[Any, Any]:
    """When a launch began and ended."""
    begin = clock.mark()
    command.launch()
    return begin, clock.mark()


def list_note(counts: list[np.ndarray], lanes: int) -> str:
    """How many items a kernel had for each lane, and how full its warps were."""
    items = np.mean([one.sum() for one in counts])
    places = np.mean([(-(-one // WARP) * WARP).sum() for one in counts])
    return f"{items / lanes:.2f} items a lane, warps {100 * items / max(places, 1):.0f} % full"


def usefulness(run: Part, chunk: Chunk) -> tuple[float, float]:
    """The share of a warp's threads that solve while the slowest does: islands as listed, and whole worlds by lane."""
    work = run.lists.islands
    counts = run.arrays["islands counts"].numpy().reshape(work.groups, work.bins)
    starts, items = run.arrays["islands starts"].numpy(), run.arrays["islands items"].numpy().reshape(work.groups, -1)
    ints = chunk.buffers["ints"]
    group, bin_of = np.nonzero(counts)
    sums = np.zeros(run.lane_count)
    useful = places = 0.0
    groups = min(work.groups, 4)  # enough to tell
    for g, b in zip(group, bin_of, strict=True):
        if g >= groups:
            continue
        found = items[g, starts[b] : starts[b] + counts[g, b]]
        lanes, numbers = g * work.group + found % work.group, found // work.group
        size = constraints_of(ints, chunk, lanes, numbers)
        np.add.at(sums, lanes, size)
        padded = np.pad(size, (0, -len(size) % WARP)).reshape(-1, WARP)
        useful += padded.sum()
        places += WARP * padded.max(axis=1).sum()
    by_lane = sums[: groups * work.group].reshape(-1, WARP)
    return useful / max(places, 1.0), by_lane.sum() / max(WARP * by_lane.max(axis=1).sum(), 1.0)


def constraints_of(ints: Any, chunk: Chunk, lanes: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The number of constraints of islands, read from the lanes' memory."""
    capacity: Capacity = chunk.capacity
    islands = HEADER_INTS + capacity.bodies * (BODY_INTS + 3) + capacity.shapes * (SHAPE_INTS + 1)
    islands += capacity.contacts * (CONTACT_INTS + CONSTRAINT_INTS + 3)
    at = islands + numbers * ISLAND_INTS + ISLAND_CONSTRAINTS
    layout = chunk.lanes(0)
    within = lanes % layout.tile
    index = (lanes - within) * layout.ints + within + at * layout.tile
    picked = wp.zeros(len(index), dtype=int, device=ints.device)
    inputs = [ints, wp.array(index, dtype=int, device=ints.device), picked]
    wp.launch(pick, dim=len(index), inputs=inputs, device=ints.device)
    return np.asarray(picked.numpy())


@wp.kernel
def pick(values: wp.array(dtype=int), index: wp.array(dtype=int), picked: wp.array(dtype=int)) -> None:
    picked[wp.tid()] = values[index[wp.tid()]]


def code_of(kernel: Any, block: int) -> str:
    """Code size, registers and stack of a kernel, where Warp's cache has it for a GPU."""
    folder = Path(wp.config.kernel_cache_dir) / kernel.module.get_module_identifier(block)
    for file in folder.glob("*.cubin"):
        code = kernel_code(file)
        return f"{code.code_bytes // 1024} kB of code, {code.registers} registers, {code.stack_bytes} B of stack"
    return ""
