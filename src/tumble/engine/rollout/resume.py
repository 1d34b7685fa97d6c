"""Going on from kept states: whole worlds put aside at their end, and put back as a beginning."""

import warp as wp

from tumble.engine.dynamics.step import is_still
from tumble.engine.state.layout import (
    CONTACTS,
    DYNAMICS,
    EVENT,
    FIRST_STEP,
    MEMORY,
    MEMORY_INTS,
    STEP,
    STILL,
    World,
    get,
    put,
    put_contact_int,
)
from tumble.engine.state.memory import read_int, write_int
from tumble.engine.state.snapshot import Store, load_state, save_state

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

HEAD_STEP = 0
HEAD_MEMORY = 1
HEAD_NOTES = HEAD_MEMORY + MEMORY_INTS


@wp.struct
class Shelf:
    """Kept states of worlds: their bodies and contacts, and a head of step, memory and notes for each."""

    states: Store
    heads: wp.uint64  # address


@wp.struct
class Resume:
    """Where worlds begin and where they are kept at their end."""

    starts: int  # 0 where worlds begin afresh
    start_of: wp.array(dtype=int)  # of each world: the state that it begins from
    start: Shelf
    keeps: int  # 0 where states at the end are not wanted
    kept: Shelf


@wp.func(inline=False)
def put_aside(w: World, shelf: Shelf, place: int) -> None:
    """Keeps a world as it is."""
    save_state(w, shelf.states, place, 0, get(w, DYNAMICS))
    head = place * (HEAD_NOTES + w.notes)
    write_int(shelf.heads, head, HEAD_STEP, 1, get(w, STEP))
    for k in range(MEMORY_INTS):
        write_int(shelf.heads, head, HEAD_MEMORY + k, 1, get(w, MEMORY + k))
    for k in range(w.notes):
        write_int(shelf.heads, head, HEAD_NOTES + k, 1, get(w, w.notes_i + k))


@wp.func(inline=False)
def put_back(w: World, shelf: Shelf, place: int) -> None:
    """Makes a world, just populated, what it was when it was kept; its events begin anew."""
    load_state(w, shelf.states, place, 0, get(w, DYNAMICS))
    for k in range(get(w, CONTACTS)):
        put_contact_int(w, get(w, w.order_i + k), EVENT, -1)
    head = place * (HEAD_NOTES + w.notes)
    step = read_int(shelf.heads, head, HEAD_STEP, 1)
    put(w, STEP, step)
    put(w, FIRST_STEP, step)
    for k in range(MEMORY_INTS):
        put(w, MEMORY + k, read_int(shelf.heads, head, HEAD_MEMORY + k, 1))
    for k in range(w.notes):
        put(w, w.notes_i + k, read_int(shelf.heads, head, HEAD_NOTES + k, 1))
    put(w, STILL, 0)
    if is_still(w):
        put(w, STILL, 1)
