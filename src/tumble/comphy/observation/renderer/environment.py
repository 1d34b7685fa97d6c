"""What metal mirrors besides bodies: the table, a dark wall at the horizon, softboxes, and two upright strip lights.

They are seen only in mirrors; what lights bodies and table is in `shading`. The softboxes hang low, so that across the
flat top of one body a mirror shows bright and dark at any place on the table.
"""

import warp as wp

WALL_LIGHT = wp.constant(0.06)
SOFTBOX_HEIGHT = wp.constant(1.0)
"""Of the softboxes above the table."""
SOFTBOX_SPACING = 0.8
"""Distance between the middles of two rows."""
SOFTBOX_LIGHT = wp.constant(1.1)
GAP_LIGHT = wp.constant(0.14)
"""Between two rows."""
ACROSS_ROWS = wp.constant(wp.vec3(-0.10 / SOFTBOX_SPACING, 0.995 / SOFTBOX_SPACING, 0.0))
"""Across the rows, divided by their spacing. The rows are almost perpendicular to the view."""
AWAY = wp.constant(wp.normalize(wp.vec3(-0.38, 1.0, 0.0)))
"""From the camera to the table. Only on this side, which flat tops mirror, are there gaps between the rows. Above and
towards the camera there is one large softbox: spheres mirror all sides, and would have many stripes otherwise."""
KEY_STRIP = wp.constant(wp.normalize(wp.vec3(0.96, -0.28, 0.0)))
"""Towards the brighter strip light: below the lamp."""
RIM_STRIP = wp.constant(wp.normalize(wp.vec3(-0.81, -0.59, 0.0)))
"""Towards the dimmer strip light: below the fill light."""
KEY_LIGHT, RIM_LIGHT = wp.constant(1.1), wp.constant(0.5)
MIRRORED_TABLE = wp.constant(0.6)
"""Brightness of the table in mirrors, relative to the table itself: some of the light is lost."""
CONTACT_SQUARE = wp.constant(0.1)
"""Square of the distance at which the mirrored table has half its brightness: it is dark where a body stands."""
CONTACT_LIGHT = wp.constant(0.06)
"""Brightness of the mirrored table where a body touches it, relative to the brightness far away."""


@wp.func
def power(base: float, doublings: int) -> float:
    """base ** (2 ** doublings)."""
    result = float(base)
    for _ in range(doublings):
        result = result * result
    return result


@wp.func
def room(point: wp.vec3, direction: wp.vec3) -> float:
    """Brightness that a mirror at a point shows in an upward direction: the softboxes, above a dark wall."""
    reach = (SOFTBOX_HEIGHT - point[2]) / wp.max(direction[2], 1.0e-3)
    row = wp.dot(point + direction * reach, ACROSS_ROWS)
    from_gap = wp.abs(2.0 * (row - wp.floor(row)) - 1.0)
    behind = wp.clamp(3.0 * wp.dot(direction, AWAY) - 0.6, 0.0, 1.0)
    from_gap = 1.0 - behind * (1.0 - from_gap)
    softbox = GAP_LIGHT + SOFTBOX_LIGHT * from_gap * from_gap * (3.0 - 2.0 * from_gap)
    above_wall = wp.clamp(direction[2] * 4.0 - 0.6, 0.0, 1.0)
    return WALL_LIGHT + softbox * above_wall


@wp.func
def strip_lights(direction: wp.vec3) -> float:
    """Brightness of the two upright strip lights, smeared vertically as by brushed metal."""
    across = wp.sqrt(direction[0] * direction[0] + direction[1] * direction[1])
    scale = 1.0 / wp.max(across, 1.0e-6)
    key = power(wp.max(wp.dot(direction, KEY_STRIP) * scale, 0.0), 4)
    rim = power(wp.max(wp.dot(direction, RIM_STRIP) * scale, 0.0), 4)
    return across * (KEY_LIGHT * key + RIM_LIGHT * rim)


@wp.func
def mirrored_table(table: float, direction: wp.vec3, distance: float) -> float:
    """Brightness of the table and the strip lights in a mirror, from the table's own brightness at a distance."""
    square = distance * distance
    from_contact = CONTACT_LIGHT + (1.0 - CONTACT_LIGHT) * square / (square + CONTACT_SQUARE)
    return (MIRRORED_TABLE * table + strip_lights(direction)) * from_contact
