"""What the parts of the rule ask of the level's tables and of the notes."""

import warp as wp

from tumble.engine.rules.queries import body_count, note, number, parameter, set_note, table_int, table_number
from tumble.engine.state.layout import World
from tumble.phyq.simulation.game.layout import (
    BODY_NOTES,
    BODY_NUMBERS,
    BODY_ROWS,
    BODY_TABLE_FLOATS,
    BODY_TABLE_INTS,
    FLOATS_PER_SHOT,
    INTS_PER_SHOT,
    NOTES_PER_BODY,
    NOTES_PER_SHOT,
    NUMBERS,
    SHOT_INTS,
    TABLE,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def level_int(w: World, field: int) -> int:
    return table_int(w, parameter(w, TABLE) + field)


@wp.func
def level_number(w: World, field: int) -> float:
    return table_number(w, parameter(w, NUMBERS) + field)


@wp.func
def body_row(w: World, body: int, field: int) -> int:
    return table_int(w, parameter(w, TABLE) + BODY_ROWS + body * BODY_TABLE_INTS + field)


@wp.func
def body_number(w: World, body: int, field: int) -> float:
    return table_number(w, parameter(w, NUMBERS) + BODY_NUMBERS + body * BODY_TABLE_FLOATS + field)


@wp.func
def shot_int(w: World, shot: int, field: int) -> int:
    return parameter(w, SHOT_INTS + shot * INTS_PER_SHOT + field)


@wp.func
def shot_number(w: World, shot: int, field: int) -> float:
    return number(w, shot * FLOATS_PER_SHOT + field)


@wp.func
def body_mark(w: World, body: int, field: int) -> int:
    return note(w, BODY_NOTES + body * NOTES_PER_BODY + field)


@wp.func
def set_body_mark(w: World, body: int, field: int, value: int) -> None:
    set_note(w, BODY_NOTES + body * NOTES_PER_BODY + field, value)


@wp.func
def shot_mark(w: World, shot: int, field: int) -> int:
    return note(w, BODY_NOTES + body_count(w) * NOTES_PER_BODY + shot * NOTES_PER_SHOT + field)


@wp.func
def set_shot_mark(w: World, shot: int, field: int, value: int) -> None:
    set_note(w, BODY_NOTES + body_count(w) * NOTES_PER_BODY + shot * NOTES_PER_SHOT + field, value)
