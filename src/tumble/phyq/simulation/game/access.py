"""Named access to the rule's parameters, tables and outputs."""

import warp as wp

from tumble.engine.rules.queries import (
    body_count,
    float_param,
    int_param,
    output_int,
    set_output_int,
    table_float,
    table_int,
)
from tumble.engine.state.world import World
from tumble.phyq.simulation.game.layout import (
    BODY_FLOATS,
    BODY_INTS,
    BODY_OUTPUTS,
    FLOAT_TABLE,
    FLOATS_PER_BODY,
    FLOATS_PER_SHOT,
    INT_TABLE,
    INTS_PER_BODY,
    INTS_PER_SHOT,
    OUTPUTS_PER_BODY,
    OUTPUTS_PER_SHOT,
    SHOT_INTS,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def level_int(w: World, field: int) -> int:
    return table_int(w, int_param(w, INT_TABLE) + field)


@wp.func
def level_float(w: World, field: int) -> float:
    return table_float(w, int_param(w, FLOAT_TABLE) + field)


@wp.func
def body_table_int(w: World, body: int, field: int) -> int:
    return table_int(w, int_param(w, INT_TABLE) + BODY_INTS + body * INTS_PER_BODY + field)


@wp.func
def body_table_float(w: World, body: int, field: int) -> float:
    return table_float(w, int_param(w, FLOAT_TABLE) + BODY_FLOATS + body * FLOATS_PER_BODY + field)


@wp.func
def shot_int(w: World, shot: int, field: int) -> int:
    return int_param(w, SHOT_INTS + shot * INTS_PER_SHOT + field)


@wp.func
def shot_float(w: World, shot: int, field: int) -> float:
    return float_param(w, shot * FLOATS_PER_SHOT + field)


@wp.func
def body_output(w: World, body: int, field: int) -> int:
    return output_int(w, BODY_OUTPUTS + body * OUTPUTS_PER_BODY + field)


@wp.func
def set_body_output(w: World, body: int, field: int, value: int) -> None:
    set_output_int(w, BODY_OUTPUTS + body * OUTPUTS_PER_BODY + field, value)


@wp.func
def shot_output(w: World, shot: int, field: int) -> int:
    return output_int(w, BODY_OUTPUTS + body_count(w) * OUTPUTS_PER_BODY + shot * OUTPUTS_PER_SHOT + field)


@wp.func
def set_shot_output(w: World, shot: int, field: int, value: int) -> None:
    set_output_int(w, BODY_OUTPUTS + body_count(w) * OUTPUTS_PER_BODY + shot * OUTPUTS_PER_SHOT + field, value)
