"""What must hold in every world: random bodies in a closed room, a few worlds to each example."""

from collections.abc import Iterator
from dataclasses import replace
from math import cos, pi, sin

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tumble import engine
from tumble.scene import Body, Circle, Polygon, Scene, Shape, box

G = 9.8
# Settings that Box2D 2.3 publishes: bodies are pushed apart until they overlap by no more than 3 slops, and taken to
# be in impact 3 slops deep in each other's skin, give or take a quarter.
SLOP = 0.005
SKIN = 2.0 * SLOP
DEEPEST = 3.0 * SLOP
DEEPEST_IMPACT = 3.25 * SLOP

SIDE = 8.0
"""The room is from -4 to 4 and from 0 to 8, divided into 4 x 4 cells; each body starts inside a cell of its own."""
CELL = SIDE / 4.0
REACH = 0.75
LEEWAY = CELL / 2.0 - REACH - 0.05
WALLS = (
    Body((box(SIDE + 2.0, 1.0),), position=(0.0, -0.5)),
    Body((box(SIDE + 2.0, 1.0),), position=(0.0, SIDE + 0.5)),
    Body((box(1.0, SIDE),), position=(-SIDE / 2.0 - 0.5, SIDE / 2.0)),
    Body((box(1.0, SIDE),), position=(SIDE / 2.0 + 0.5, SIDE / 2.0)),
)

TINY = 1.0e-9

several = settings(max_examples=40, deadline=None, derandomize=True)


def between(least: float, most: float) -> st.SearchStrategy[float]:
    """Numbers of that range, tiny ones as 0: below 1e-38 a float32 has fewer bits, and a smaller unit loses some."""
    return st.floats(least, most).map(lambda x: x if abs(x) > TINY else 0.0)


@st.composite
def ovals(draw: st.DrawFn) -> tuple[Shape, ...]:
    """A convex polygon of 3 to 16 corners on an ellipse."""
    shifts = draw(st.lists(between(-0.3, 0.3), min_size=3, max_size=16))
    turns = [2.0 * pi * (k + shift) / len(shifts) for k, shift in enumerate(shifts)]
    wide, tall = draw(between(0.2, REACH)), draw(between(0.2, REACH))
    return (Polygon(tuple((wide * cos(turn), tall * sin(turn)) for turn in turns)),)


DISCS = between(0.125, REACH).map(lambda radius: (Circle(radius),))
BOXES = st.tuples(between(0.125, 1.0), between(0.125, 1.0)).map(lambda size: (box(*size),))
DUMBBELLS = st.tuples(between(0.125, 0.3), between(0.125, 0.3), between(0.2, 0.4)).map(
    lambda d: (Circle(d[0], (-d[2], 0.0)), box(2.0 * d[2], 0.1), Circle(d[1], (d[2], 0.0)))
)
ANGLES = between(0.2, 0.6).map(lambda arm: (box(0.2, 1.0, (-0.3, 0.0)), box(arm, 0.2, (arm / 2.0 - 0.2, -0.4))))
CONVEX = st.one_of(DISCS, BOXES, ovals())
ANY = st.one_of(CONVEX, DUMBBELLS, ANGLES)


@st.composite
def rooms(
    draw: st.DrawFn, shapes: st.SearchStrategy[tuple[Shape, ...]] = ANY, fewest: int = 3, most: int = 10
) -> Scene:
    """A closed room with bodies that don't overlap; none bounces by more than half."""
    bodies = []
    for cell in draw(st.lists(st.integers(0, 15), min_size=fewest, max_size=most, unique=True)):
        column, row = cell % 4, cell // 4
        bodies.append(
            Body(
                draw(shapes),
                position=(
                    (column - 1.5) * CELL + draw(between(-LEEWAY, LEEWAY)),
                    (row + 0.5) * CELL + draw(between(-LEEWAY, LEEWAY)),
                ),
                angle=draw(between(-3.0, 3.0)),
                velocity=(draw(between(-5.0, 5.0)), draw(between(-5.0, 5.0))),
                angular_velocity=draw(between(-5.0, 5.0)),
                density=draw(between(0.25, 3.0)),
                friction=draw(between(0.0, 1.0)),
                restitution=draw(between(0.0, 0.5)),
                dynamic=True,
            )
        )
    return Scene(WALLS + tuple(bodies))


def batches(scenes: st.SearchStrategy[Scene]) -> st.SearchStrategy[list[Scene]]:
    return st.lists(scenes, min_size=1, max_size=3)


def play(scenes: list[Scene], steps: int) -> engine.Rollouts:
    options = engine.Options(max_steps=steps, stride=1, velocities=True, events=True)
    return engine.rollout(engine.each(scenes), options=options)


def motion(result: engine.Rollouts, world: int, scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    """Poses and velocities [frames, bodies, 3] of one world, in double precision."""
    bodies = len(scene.bodies)
    return result.poses[world, :, :bodies].astype(float), result.velocities[world, :, :bodies].astype(float)


# Mass and energy, by formula


def shape_mass(shape: Shape) -> tuple[float, np.ndarray, float]:
    """Area, centre, and second moment about the body's origin: of a disc, or of a polygon by the shoelace formulas."""
    if isinstance(shape, Circle):
        area, centre = pi * shape.radius**2, np.array(shape.centre)
        return area, centre, area * (shape.radius**2 / 2.0 + centre @ centre)
    p = np.array(shape.vertices)
    q = np.roll(p, -1, axis=0)
    cross = p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]
    area = cross.sum() / 2.0
    centre = ((p + q) * cross[:, None]).sum(axis=0) / (6.0 * area)
    return area, centre, float((cross * (p * p + p * q + q * q).sum(axis=1)).sum() / 12.0)


def body_mass(body: Body) -> tuple[float, np.ndarray, float]:
    """Mass, centre, and moment of inertia about the centre."""
    parts = [shape_mass(shape) for shape in body.shapes]
    area = sum(part[0] for part in parts)
    centre = sum((part[0] * part[1] for part in parts), np.zeros(2)) / area
    inertia = sum(part[2] for part in parts) - area * float(centre @ centre)
    return body.density * area, centre, body.density * inertia


def moving_mass(scene: Scene) -> float:
    return sum(body_mass(body)[0] for body in scene.bodies if body.dynamic)


def energy(scene: Scene, poses: np.ndarray, velocities: np.ndarray) -> np.ndarray:
    """Kinetic and potential energy of all bodies in each frame."""
    total = np.zeros(len(poses))
    for k, body in enumerate(scene.bodies):
        if body.dynamic:
            mass, centre, inertia = body_mass(body)
            angle, v = poses[:, k, 2], velocities[:, k]
            height = poses[:, k, 1] + np.sin(angle) * centre[0] + np.cos(angle) * centre[1]
            total += mass * (G * height + (v[:, 0] ** 2 + v[:, 1] ** 2) / 2.0) + inertia * v[:, 2] ** 2 / 2.0
    return total


# Geometry


def outlines(body: Body, poses: np.ndarray) -> Iterator[tuple[np.ndarray, float]]:
    """Of each shape, its points [..., points, 2] at the given poses and the radius around them, skin included."""
    sine, cosine = np.sin(poses[..., 2, None]), np.cos(poses[..., 2, None])
    for shape in body.shapes:
        local = np.array([shape.centre] if isinstance(shape, Circle) else shape.vertices)
        x = poses[..., 0, None] + cosine * local[:, 0] - sine * local[:, 1]
        y = poses[..., 1, None] + sine * local[:, 0] + cosine * local[:, 1]
        yield np.stack([x, y], axis=-1), shape.radius if isinstance(shape, Circle) else SKIN


def gap(a: np.ndarray, radius_a: float, b: np.ndarray, radius_b: float) -> float:
    """How far two convex outlines are apart, negative where they overlap: the widest gap along any axis in question."""
    between_points = (b[None] - a[:, None]).reshape(-1, 2)
    axes = [between_points[np.hypot(*between_points.T).argmin()]]
    for ring in (a, b):
        if len(ring) > 1:
            edges = np.roll(ring, -1, axis=0) - ring
            axes += [np.array([y, -x]) for x, y in edges]
    widest = -np.inf
    for axis in axes:
        for n in (axis / np.hypot(*axis), -axis / np.hypot(*axis)):
            widest = max(widest, (b @ n).min() - (a @ n).max())
    return float(widest - radius_a - radius_b)


def smallest_gap(scene: Scene, poses: np.ndarray) -> float:
    """The smallest gap between any two bodies of which one can move."""
    smallest = np.inf
    for k, body in enumerate(scene.bodies):
        for j, other in enumerate(scene.bodies[:k]):
            if body.dynamic or other.dynamic:
                for a in outlines(body, poses[k]):
                    for b in outlines(other, poses[j]):
                        smallest = min(smallest, gap(*a, *b))
    return float(smallest)


# The properties


@several
@given(batches(rooms()))
def test_bodies_stay_in_the_room(scenes: list[Scene]) -> None:
    """Numbers stay finite, and continuous collision keeps everything from sinking deeper into a wall than an impact."""
    result = play(scenes, 600)
    for world, scene in enumerate(scenes):
        poses, velocities = motion(result, world, scene)
        assert np.isfinite(poses).all()
        assert np.isfinite(velocities).all()
        for k, body in enumerate(scene.bodies):
            if body.dynamic:
                for points, radius in outlines(body, poses[:, k]):
                    allowed = radius + SKIN - DEEPEST_IMPACT - 1e-5
                    assert np.abs(points[..., 0]).max() <= SIDE / 2.0 - allowed
                    assert points[..., 1].min() >= allowed
                    assert points[..., 1].max() <= SIDE - allowed


@several
@given(batches(rooms(CONVEX)))
def test_convex_bodies_at_rest_do_not_overlap(scenes: list[Scene]) -> None:
    """After ten seconds: by no more than position correction leaves, where all sleep; by the skins more where not.

    Bodies that are not convex may hook into each other at speed, since only bullets are kept from passing into moving
    bodies; what then pushes them apart in two directions can hold them for ever.
    """
    result = play(scenes, 600)
    for world, scene in enumerate(scenes):
        poses, velocities = motion(result, world, scene)
        asleep = not velocities[-1].any()
        assert smallest_gap(scene, poses[-1]) >= -(DEEPEST + 1e-5 if asleep else DEEPEST + 2.0 * SKIN)


@several
@given(batches(rooms()))
def test_energy_is_never_made(scenes: list[Scene]) -> None:
    """Nothing is ever above its initial energy by more than what lifting all out of their overlap is worth."""
    result = play(scenes, 600)
    for world, scene in enumerate(scenes):
        total = energy(scene, *motion(result, world, scene))
        assert total.max() <= total[0] + moving_mass(scene) * G * DEEPEST_IMPACT


@several
@given(batches(rooms(fewest=1, most=1)))
def test_a_body_alone_in_the_room_only_ever_loses_energy(scenes: list[Scene]) -> None:
    """An impact leaves it 3 slops deep, and it is then lifted until one is left: that much it may gain, at any time."""
    result = play(scenes, 600)
    for world, scene in enumerate(scenes):
        total = energy(scene, *motion(result, world, scene))
        gained = total - np.minimum.accumulate(total)
        assert gained.max() <= moving_mass(scene) * G * (DEEPEST_IMPACT - SLOP)


def mirrored(scene: Scene) -> Scene:
    """The scene as a mirror beside it shows it."""

    def turn(shape: Shape) -> Shape:
        if isinstance(shape, Circle):
            return Circle(shape.radius, (-shape.centre[0], shape.centre[1]))
        return Polygon(tuple((-x, y) for x, y in reversed(shape.vertices)))

    return replace(
        scene,
        bodies=tuple(
            replace(
                body,
                shapes=tuple(map(turn, body.shapes)),
                position=(-body.position[0], body.position[1]),
                velocity=(-body.velocity[0], body.velocity[1]),
                angle=-body.angle,
                angular_velocity=-body.angular_velocity,
            )
            for body in scene.bodies
        ),
    )


MIRROR = np.array([-1.0, 1.0, -1.0], np.float32)


@several
@given(rooms(DISCS))
def test_discs_move_in_a_mirror_as_beside_it(scene: Scene) -> None:
    """To the bit, since a sign costs no rounding and discs have no corners to number."""
    result = play([scene, mirrored(scene)], 600)
    assert np.array_equal(result.poses[0], result.poses[1] * MIRROR)
    assert np.array_equal(result.velocities[0], result.velocities[1] * MIRROR)


@several
@given(rooms())
def test_first_impacts_in_a_mirror(scene: Scene) -> None:
    """Corners are numbered the other way round, so two contact points are solved in the other order.

    Up to and with the step of the first impact, that may make a difference of a few per cent of what bodies move in
    that step: 0.05 * 15 m/s * dt, a slop or two. Later, impacts make differences grow without bound.
    """
    result = play([scene, mirrored(scene)], 120)
    begins = result.events["step"][result.events["begin"]]
    frames = int(begins.min(initial=120)) + 1
    here, there = result.poses[0, :frames], result.poses[1, :frames] * MIRROR
    assert np.abs(here - there)[..., :2].max() <= 0.05 * 15.0 / 60.0
    assert np.abs(here - there)[: frames - 1].max() <= 1e-5


@several
@given(rooms(), st.integers(0, 2), st.booleans())
def test_what_is_far_away_changes_nothing(scene: Scene, awake: int, first: bool) -> None:
    """Not by a bit: bodies that never meet are independent, wherever they stand in the list."""
    far = 1000.0
    others = (
        Body((box(10.0, 1.0),), position=(far, -0.5)),
        Body((box(1.0, 1.0),), position=(far, 0.5 + 2.0 * SKIN - SLOP), dynamic=True),
        *(Body((Circle(0.5),), position=(far + 2.0 * k, 3.0), dynamic=True, restitution=0.5) for k in range(awake)),
    )
    with_others = replace(scene, bodies=others + scene.bodies if first else scene.bodies + others)
    result = play([scene, with_others], 300)
    start = len(others) if first else 0
    own = slice(start, start + len(scene.bodies))
    assert np.array_equal(result.poses[0, :, : len(scene.bodies)], result.poses[1, :, own])
    assert np.array_equal(result.velocities[0, :, : len(scene.bodies)], result.velocities[1, :, own])


@several
@given(rooms(), st.sampled_from([0.25, 8.0, 64.0]))
def test_units_change_nothing(scene: Scene, units: float) -> None:
    """Not by a bit, as they are powers of two."""

    def scaled(shape: Shape) -> Shape:
        if isinstance(shape, Circle):
            return Circle(shape.radius * units, (shape.centre[0] * units, shape.centre[1] * units))
        return Polygon(tuple((x * units, y * units) for x, y in shape.vertices))

    in_units = Scene(
        tuple(
            replace(
                body,
                shapes=tuple(map(scaled, body.shapes)),
                position=(body.position[0] * units, body.position[1] * units),
                velocity=(body.velocity[0] * units, body.velocity[1] * units),
            )
            for body in scene.bodies
        ),
        units_per_metre=units,
    )
    result = play([scene, in_units], 300)
    scale = np.array([units, units, 1.0], np.float32)
    assert np.array_equal(result.poses[0] * scale, result.poses[1])
    assert np.array_equal(result.velocities[0] * scale, result.velocities[1])
