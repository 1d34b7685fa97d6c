"""What the phases of a step read and write: bytes of a lane and step, and sectors of a GPU's memory in each layout.

    python benchmarks/phase_bytes.py --tiers B 2B --per-task 20 --steps 320

It runs on a CPU, in phases, with functions that mark every item of the state that is accessed. From the marks of a
phase follows the traffic of a GPU whose cache holds a lane's items during that phase: the sectors of 32 bytes that
contiguous lanes touch, and those that tiles of 8 lanes do where neighbouring threads have neighbouring lanes.
Definitions of shapes and bodies, which all lanes share, are not counted.
"""

import argparse
from collections import defaultdict
from typing import Any

import numpy as np
import warp as wp

counters = np.zeros(8, np.int64)
VECS, INTS, VEC_MARKS, INT_MARKS, ACCESSES = range(5)
READ, WRITTEN = 1, 2
SECTOR_VECS, SECTOR_INTS = 2, 8
BANDWIDTH = 4.8e12
"""Bytes per second of an H200's memory."""


def counting(native: Any) -> Any:
    """`wp.func_native` for the functions that access the state, with marks."""

    def with_marks(snippet: str) -> Any:
        def decorate(function: Any) -> Any:
            kinds = {"read_int": (INTS, READ), "write_int": (INTS, WRITTEN)}
            kinds |= {"read_vec": (VECS, READ), "write_vec": (VECS, WRITTEN)}
            if function.__name__ not in kinds:
                return native(snippet)(function)
            which, mark = kinds[function.__name__]
            marks = f"""
    long long* c = (long long*){counters.ctypes.data}LL;
    if ((long long)base == c[{which}]) {{
        ((unsigned char*)c[{which + VEC_MARKS}])[first + item] |= {mark};
        c[{ACCESSES}] += 1;
    }}
"""
            return native(marks + snippet)(function)

        return decorate

    return with_marks


_native, wp.func_native = wp.func_native, counting(wp.func_native)
import tumble.engine.state.memory  # noqa: E402, F401

wp.func_native = _native

from engine_phase_work import phyre_work  # noqa: E402
from phase_times import LOOK_EVERY, phased_run  # noqa: E402
from published import Published  # noqa: E402
from table import Results  # noqa: E402

from tumble.engine.host.phase_settings import PhaseSettings, phased_on  # noqa: E402


def touched_sectors(marks: np.ndarray, per_sector: int, tile: int) -> int:
    """Sectors with a marked item; `marks` is [lanes, items], and a tile divides the lanes."""
    lanes, items = marks.shape
    if tile == 1:
        padded = np.pad(marks, ((0, 0), (0, -items % per_sector)))
        return int(padded.reshape(lanes, -1, per_sector).any(axis=2).sum())
    return int(marks.reshape(lanes // per_sector, per_sector, items).any(axis=1).sum())


def measure(work: Any, steps: int) -> tuple[dict[str, dict[str, float]], float]:
    """For each phase, means over the steps looked at, per active lane; and the share of lanes that are active."""
    lanes = -(-len(work) // 32) * 32
    settings = PhaseSettings(lanes=lanes, group=lanes, ascending=True)
    sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    active = looks = 0
    with phased_on("cpu", settings=settings):
        run, chunk, _ = phased_run(work, "cpu", settings)
        (part,) = run.parts
        marks = {
            "vecs": np.zeros(lanes * chunk.lane_vecs, np.uint8),
            "ints": np.zeros(lanes * chunk.lane_ints, np.uint8),
        }
        counters[VECS], counters[INTS] = chunk.buffers["vecs"].ptr, chunk.buffers["ints"].ptr
        counters[VEC_MARKS], counters[INT_MARKS] = marks["vecs"].ctypes.data, marks["ints"].ctypes.data
        part.begin.launch()
        for step in range(steps):
            looking = step % LOOK_EVERY == LOOK_EVERY - 1
            if looking:
                looks += 1
                active += int(part.queue.occupied.numpy().sum())
            for name, command in part.step.items():
                for one in marks.values():
                    one[:] = 0
                before = int(counters[ACCESSES])
                command.launch()
                if looking:
                    add_traffic(sums[name], marks, lanes, int(counters[ACCESSES]) - before)
    means = {name: {key: value / max(active, 1) for key, value in one.items()} for name, one in sums.items()}
    return means, active / max(looks * lanes, 1)


def add_traffic(sums: dict[str, float], marks: dict[str, np.ndarray], lanes: int, accesses: int) -> None:
    """Adds what one launch of a phase accessed."""
    sums["accesses"] += accesses
    for kind, size, per_sector in (("vecs", 16, SECTOR_VECS), ("ints", 4, SECTOR_INTS)):
        items = marks[kind].reshape(lanes, -1)
        for label, bit in (("read", READ), ("written", WRITTEN)):
            chosen = (items & bit) != 0
            sums[label] += size * int(chosen.sum())
            for tile in (1, 8):
                sums[f"{label} in sectors, tiles of {tile}"] += 32 * touched_sectors(chosen, per_sector, tile)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tiers", nargs="+", default=["B", "2B"])
    parser.add_argument("--per-task", type=int, default=20)
    parser.add_argument("--steps", type=int, default=320)
    parser.add_argument("--lanes", type=int, default=131072, help="of the GPU whose least time is printed")
    arguments = parser.parse_args()
    results = Results("Traffic of the phases")
    data = Published()
    for tier in arguments.tiers:
        means, share = measure(phyre_work(data, tier, arguments.per_task), arguments.steps)
        for name, one in means.items():
            sectors = {
                tile: sum(one[f"{label} in sectors, tiles of {tile}"] for label in ("read", "written"))
                for tile in (1, 8)
            }
            least = {tile: 1e6 * arguments.lanes * share * size / BANDWIDTH for tile, size in sectors.items()}
            note = (
                f"{one['read']:.0f} B read, {one['written']:.0f} B written, {one['accesses']:.0f} accesses; "
                f"in sectors: {sectors[1]:.0f} B contiguous ({least[1]:.0f} us), "
                f"{sectors[8]:.0f} B in tiles ({least[8]:.0f} us)"
            )
            results.add(f"{tier}, {name}", f"{one['read'] + one['written']:.0f} B", "", "", note)
        results.add(f"{tier}, active lanes", f"{100 * share:.0f} %")
    results.finish("phase-bytes")


if __name__ == "__main__":
    main()
