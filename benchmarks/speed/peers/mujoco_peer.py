"""MuJoCo: bodies in a plane, with two slides and a hinge each."""

import math
from collections.abc import Sequence

import mujoco
import numpy as np
from table import clock

from peers.peer import DT, Stepped, mass_of
from tumble.scene import Body, Circle, Scene, Shape

TITLE = f"MuJoCo {mujoco.__version__}"
DIFFERENCES = (
    "three dimensions (circles are spheres, polygons boxes or prisms, whose faces touch at up to 8 points); soft "
    "contacts without restitution, a Newton solver; no continuous collision, no sleep; double precision"
)
DEVICES = ("cpu",)
ONE_BY_ONE = True
DEPTH = 0.5
"""Half the thickness of polygons, in metres."""


def can_build(scene: Scene) -> bool:
    """Any scene."""
    return True


def roll_out(scenes: Sequence[Scene], steps: int, device: str) -> Stepped:
    """Steps one world after the other."""
    now, seconds, poses = clock(device), 0.0, []
    for scene in scenes:
        model = mujoco.MjModel.from_xml_string(model_xml(scene))
        data = mujoco.MjData(model)
        start = now()
        mujoco.mj_step(model, data, nstep=steps)
        seconds += now() - start
        moved = iter(data.qpos.reshape(-1, 3))
        rows = []
        for body in scene.bodies:
            dx, dy, turn = next(moved) if body.dynamic else (0.0, 0.0, 0.0)
            x, y = body.position
            rows.append((x + dx * scene.units_per_metre, y + dy * scene.units_per_metre, body.angle + turn))
        poses.append(np.array(rows))
    return Stepped(seconds, poses)


def model_xml(scene: Scene) -> str:
    """A scene as MuJoCo's XML."""
    assets: list[str] = []
    bodies = "".join(_body(body, scene.units_per_metre, assets) for body in scene.bodies)
    gravity = f"{scene.gravity[0]} {scene.gravity[1]} 0"
    return (
        f'<mujoco><compiler angle="radian"/><option timestep="{DT}" gravity="{gravity}"/>'
        f"<asset>{''.join(assets)}</asset><worldbody>{bodies}</worldbody></mujoco>"
    )


def _body(body: Body, units_per_metre: float, assets: list[str]) -> str:
    x, y = (value / units_per_metre for value in body.position)
    parts = [_geom(shape, body.friction, units_per_metre, assets) for shape in body.shapes]
    if body.dynamic:
        mass = mass_of(body, units_per_metre)
        # Slides and hinge are about the body's origin; only the moment about z matters.
        parts += [
            f'<inertial pos="{mass.centre[0]} {mass.centre[1]} 0" mass="{mass.mass}" '
            f'diaginertia="{mass.inertia} {mass.inertia} {mass.inertia}"/>',
            # Slides are of the parent's axes only where the body is not turned.
            *(
                f'<joint type="slide" axis="{math.cos(turn)} {math.sin(turn)} 0"/>'
                for turn in (-body.angle, math.pi / 2 - body.angle)
            ),
            '<joint type="hinge" axis="0 0 1"/>',
        ]
    return f'<body pos="{x} {y} 0" euler="0 0 {body.angle}">{"".join(parts)}</body>'


def _geom(shape: Shape, friction: float, units_per_metre: float, assets: list[str]) -> str:
    how = f'condim="3" friction="{friction} 0 0"'
    if isinstance(shape, Circle):
        x, y = (value / units_per_metre for value in shape.centre)
        return f'<geom type="sphere" size="{shape.radius / units_per_metre}" pos="{x} {y} 0" {how}/>'
    corners = np.array(shape.vertices) / units_per_metre
    if _is_rectangle(corners):
        x, y = corners.mean(axis=0)
        side = corners[1] - corners[0]
        size = f"{np.linalg.norm(side) / 2} {np.linalg.norm(corners[2] - corners[1]) / 2} {DEPTH}"
        turn = math.atan2(side[1], side[0])
        return f'<geom type="box" size="{size}" pos="{x} {y} 0" euler="0 0 {turn}" {how}/>'
    name = f"mesh{len(assets)}"
    points = " ".join(f"{x} {y} {z}" for z in (-DEPTH, DEPTH) for x, y in corners)
    assets.append(f'<mesh name="{name}" vertex="{points}"/>')
    return f'<geom type="mesh" mesh="{name}" {how}/>'


def _is_rectangle(corners: np.ndarray) -> bool:
    if len(corners) != 4:
        return False
    sides = np.roll(corners, -1, axis=0) - corners
    size = float(np.abs(sides).max())
    square = abs(float(sides[0] @ sides[1])) < 1e-6 * size**2
    return square and bool(np.allclose(sides[0], -sides[2], atol=1e-6 * size))
