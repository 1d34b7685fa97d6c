"""What the kernels read of a batch of frames: bodies, their looks, meshes and trees, stages and floors."""

from typing import Any

import numpy as np
import warp as wp

from tumble.scene.warp_log import silence_warp

silence_warp()

MAX_BODIES = 16
"""In one frame: sets of bodies are integers with one bit for each, two of which share 32 bits."""
ABSENT = -1
MAP_SIDE = 24
"""Texels along each side of the map of the sky's light on the floor around an object."""
LIGHT_RAYS = 12
"""Points of a light that shadow rays go to."""


@wp.struct
class BodyPose:
    """One body in one frame."""

    origin: wp.vec3
    """Of its mesh: the middle of its base."""
    rotation: wp.mat33
    """Its axes as rows."""
    center: wp.vec3
    """Of its bounding sphere and box."""
    half: wp.vec3
    """Half the size of its bounding box, along the world's axes."""
    radius: float
    """Of its bounding sphere."""
    mesh: int
    look: int
    """ABSENT if there is no such body."""


@wp.struct
class MeshRow:
    """Where the parts of a mesh are in the arrays of all meshes."""

    first_node: int
    leaves: int
    """The number of its leaves; the first of them is node number `leaves`, counted from 1."""
    first_leaf: int
    first_triangle: int
    first_texel: int
    map_half: float
    """Half the width of its floor map."""


@wp.struct
class LookRow:
    """The surface of a body."""

    diffuse: wp.vec3
    specular: wp.vec3
    """0 for all but metal."""
    pattern: int
    gloss: float
    """Of a clear coat: mirrored light of the surroundings, and the highlight."""
    offset: wp.vec3
    """Shifts the pattern, so that no two bodies have the same."""


@wp.struct
class StageRow:
    """A floor and the lights above it."""

    kind: int
    seed: int
    turn: wp.vec2
    """Cosine and sine of the floor pattern's direction."""
    offset: wp.vec2
    color_a: wp.vec3
    color_b: wp.vec3
    color_c: wp.vec3
    light: wp.vec3
    """Middle of the light that casts shadows."""
    light_radius: float
    light_square: float
    """Square of its distance from the middle of the floor, where its colour is measured."""
    light_color: wp.vec3
    sky: wp.vec3
    fill: wp.vec3
    fill_direction: wp.vec3
    bounce: wp.vec3
    """Light that the floor throws back at what faces it."""


@wp.struct
class Geometry:
    """All meshes of a batch, as rays need them. Warp copies structs at each call, so this one is small."""

    meshes: wp.array(dtype=MeshRow)
    boxes: wp.array(dtype=float)
    """Six for each node: lower and upper corner of its box."""
    starts: wp.array(dtype=int)
    """First triangle of each leaf, counted in its mesh, and the end of the last one."""
    corners: wp.array(dtype=wp.vec3)
    """Three for each triangle: the first corner, and the edges to the other two."""


@wp.struct
class Surfaces:
    """What is seen where a ray has met something."""

    looks: wp.array(dtype=LookRow)
    normals: wp.array2d(dtype=wp.vec3)
    """[triangle, 3]: at the corners."""
    open_sky: wp.array(dtype=wp.vec3)
    """[triangle]: share of the sky that the object itself leaves free, at each corner."""
    tints: wp.array(dtype=wp.vec2)
    """[triangle]: a factor of the colour, and the share of white mixed in."""
    maps: wp.array(dtype=float)
    """[texel]: share of the sky that an object leaves to the floor around it."""
    stages: wp.array(dtype=StageRow)
    light_points: wp.array2d(dtype=wp.vec3)
    """[stage, LIGHT_RAYS]: points of the light."""
    floor_direct: wp.array3d(dtype=wp.vec3)
    """[stage, height, width]: what the floor reflects of the light, linear, without shadows."""
    floor_ambient: wp.array3d(dtype=wp.vec3)
    """[stage, height, width]: what the floor reflects of the sky and the fill light."""
    empty: wp.array3d(dtype=wp.vec3ub)
    """[stage, height, width]: the picture of the floor without objects."""
    frame_stages: wp.array(dtype=int)
    """[frame]: its stage."""


def dtype_of(struct: Any) -> "np.dtype[np.void]":
    """The NumPy type of a Warp struct."""
    dtype: np.dtype[np.void] = struct.numpy_dtype()
    return dtype


BODY_POSE, MESH_ROW, LOOK_ROW, STAGE_ROW = (dtype_of(one) for one in (BodyPose, MeshRow, LookRow, StageRow))
