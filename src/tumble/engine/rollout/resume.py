"""Saving whole worlds at the end of a rollout, and resuming from what was saved."""

import warp as wp

from tumble.engine.dynamics.step import no_body_awake
from tumble.engine.state.layout import (
    ALL_ASLEEP,
    BEGIN_EVENT,
    CONTACT_COUNT,
    DYNAMIC_COUNT,
    FIRST_STEP,
    OUTPUT_COUNT,
    OUTPUTS_I,
    SCRATCH,
    SCRATCH_INTS,
    STEP,
)
from tumble.engine.state.memory import read_int, write_int
from tumble.engine.state.snapshot import SnapshotStore, load_snapshot, save_snapshot
from tumble.engine.state.world import World, chunk_int, get_int, ordered_contact, set_contact_int, set_int

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

# ints of a checkpoint's header
HEADER_STEP = 0
HEADER_SCRATCH = 1
HEADER_OUTPUTS = HEADER_SCRATCH + SCRATCH_INTS


@wp.struct
class CheckpointStore:
    """Saved worlds: a snapshot of bodies and contacts for each, and a header of step, scratch and output ints."""

    snapshots: SnapshotStore
    headers: wp.uint64  # address


@wp.struct
class Resume:
    """Where worlds start from and where they are saved at their end."""

    has_start: int  # 0 where worlds start from their scenes
    start_of: wp.array(dtype=int)  # [worlds]: the checkpoint that each starts from
    start: CheckpointStore
    saves_end: int  # 1 where worlds are saved at their end
    end: CheckpointStore


@wp.func(inline=False)
def save_checkpoint(w: World, store: CheckpointStore, index: int) -> None:
    """Saves a world as it is."""
    save_snapshot(w, store.snapshots, index, 0, get_int(w, DYNAMIC_COUNT))
    header = index * (HEADER_OUTPUTS + chunk_int(w, OUTPUT_COUNT))
    write_int(store.headers, header, HEADER_STEP, get_int(w, STEP))
    for k in range(SCRATCH_INTS):
        write_int(store.headers, header, HEADER_SCRATCH + k, get_int(w, SCRATCH + k))
    for k in range(chunk_int(w, OUTPUT_COUNT)):
        write_int(store.headers, header, HEADER_OUTPUTS + k, get_int(w, chunk_int(w, OUTPUTS_I) + k))


@wp.func(inline=False)
def load_checkpoint(w: World, store: CheckpointStore, index: int) -> None:
    """Restores a world, just populated, to what it was when it was saved; its list of events starts empty."""
    load_snapshot(w, store.snapshots, index, 0, get_int(w, DYNAMIC_COUNT))
    for k in range(get_int(w, CONTACT_COUNT)):
        set_contact_int(w, ordered_contact(w, k), BEGIN_EVENT, -1)
    header = index * (HEADER_OUTPUTS + chunk_int(w, OUTPUT_COUNT))
    step = read_int(store.headers, header, HEADER_STEP)
    set_int(w, STEP, step)
    set_int(w, FIRST_STEP, step)
    for k in range(SCRATCH_INTS):
        set_int(w, SCRATCH + k, read_int(store.headers, header, HEADER_SCRATCH + k))
    for k in range(chunk_int(w, OUTPUT_COUNT)):
        set_int(w, chunk_int(w, OUTPUTS_I) + k, read_int(store.headers, header, HEADER_OUTPUTS + k))
    set_int(w, ALL_ASLEEP, 0)
    if no_body_awake(w):
        set_int(w, ALL_ASLEEP, 1)
