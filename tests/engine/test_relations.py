"""The rule for relations against an oracle in NumPy, which judges the recorded poses and contacts of every step."""

import math

import numpy as np
import pytest

from tumble import engine
from tumble.engine import Relation
from tumble.scene import Body, Circle, Polygon, Scene, box, regular_polygon

HOLD = 40
STEPS = 260
FLOOR = Body((box(12.0, 1.0),), position=(0.0, -0.5), friction=0.5)
WALLS = tuple(Body((box(1.0, 12.0),), position=(x, 6.0)) for x in (-6.5, 6.5))
JAR = Body(
    (box(2.0, 0.2), Polygon(((-1.3, 1.6), (-1.0, -0.1), (-0.8, -0.1), (-1.1, 1.6))), box(0.2, 1.7, (0.9, 0.75))),
    dynamic=True,
)
JAR_AREA = np.array([(-1.3, 1.6), (-1.0, -0.1), (1.0, -0.1), (1.0, 1.6)])
SQUARE = np.array([(2.0, 2.0), (-2.0, 2.0), (-2.0, -2.0), (2.0, -2.0)])
UNCLEAR = 1e-4
"""Metres within which the oracle can't tell: recorded poses are rounded to float32."""

SINGLE = list(Relation)
SEVERAL = [
    Relation.ABOVE | Relation.TOUCHING,
    Relation.LEFT_OF | Relation.NOT_TOUCHING,
    Relation.NOT_INSIDE | Relation.NOT_TOUCHING,
    Relation.INSIDE | Relation.TOUCHING,
    Relation.RIGHT_OF | Relation.ABOVE,
]


def random_scene(rng: np.random.Generator) -> Scene:
    """A jar, a ball above it and other bodies on a floor between walls; bodies 3 and 4 are those of the goal."""
    x = rng.uniform(-3.0, 3.0)
    ball = Circle(rng.uniform(0.15, 0.5))
    shape = ball if rng.random() < 0.6 else regular_polygon(int(rng.integers(3, 7)), rng.uniform(0.2, 0.5))
    goal = (
        moving((shape,), x + rng.uniform(-1.5, 1.5), rng.uniform(1.0, 5.0), rng),
        Body(JAR.shapes, position=(x, 0.11), dynamic=bool(rng.random() < 0.7), density=2.0),
    )
    others = [moving((box(0.6, 0.4),), px, rng.uniform(2.0, 9.0), rng) for px in rng.uniform(-5.0, 5.0, 2)]
    return Scene((FLOOR, *WALLS, *goal, *others))


def moving(shapes: tuple, x: float, y: float, rng: np.random.Generator) -> Body:
    return Body(
        shapes,
        position=(x, y),
        angle=rng.uniform(-3.0, 3.0),
        velocity=tuple(rng.uniform(-3.0, 3.0, 2)),
        dynamic=True,
        friction=0.5,
        restitution=0.2,
    )


def points_of(body: Body, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The corners and centres [steps, points, 2] of a body's shapes at poses [steps, 3], and their radii [points]."""
    corners, radii = [], []
    for shape in body.shapes:
        ring = [shape.centre] if isinstance(shape, Circle) else shape.vertices
        corners += ring
        radii += [shape.radius if isinstance(shape, Circle) else 0.0] * len(ring)
    c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    x, y = np.array(corners).T[:, None]
    c, s, px, py = c[:, None], s[:, None], poses[:, :1], poses[:, 1:2]
    return np.stack([px + x * c - y * s, py + x * s + y * c], axis=2), np.array(radii)


def touching_steps(events: np.ndarray, a: int, b: int, steps: int) -> np.ndarray:
    """bool [steps]: after which steps two bodies touch."""
    pairs = np.sort(np.stack([events["body_a"], events["body_b"]], axis=1), axis=1)
    change = np.zeros(steps + 1, int)
    for event in events[(pairs == sorted((a, b))).all(axis=1)]:
        change[event["step"]] += 1 if event["begin"] else -1
    return np.cumsum(change)[1:] > 0


def margins(scene: Scene, a: int, b: int, poses: np.ndarray, area: np.ndarray) -> dict[Relation, np.ndarray]:
    """For each relation of place, how many metres each step is away from its limit; above 0 where it holds."""
    p, radius = points_of(scene.bodies[a], poses[:, a])
    q, other_radius = points_of(scene.bodies[b], poses[:, b])
    low_a, high_a = (p - radius[:, None]).min(axis=1), (p + radius[:, None]).max(axis=1)
    low_b, high_b = (q - other_radius[:, None]).min(axis=1), (q + other_radius[:, None]).max(axis=1)
    corners, _ = points_of(Body((Polygon(area),)), poses[:, b])
    edge = np.roll(corners, -1, axis=1) - corners
    to_point = p[:, :, None] - corners[:, None]
    cross = edge[:, None, :, 0] * to_point[..., 1] - edge[:, None, :, 1] * to_point[..., 0]
    depth = cross / np.hypot(edge[..., 0], edge[..., 1])[:, None] - radius[:, None]
    inside = depth.min(axis=(1, 2))
    return {
        Relation.ABOVE: low_a[:, 1] - high_b[:, 1],
        Relation.BELOW: low_b[:, 1] - high_a[:, 1],
        Relation.LEFT_OF: low_b[:, 0] - high_a[:, 0],
        Relation.RIGHT_OF: low_a[:, 0] - high_b[:, 0],
        Relation.INSIDE: inside,
        Relation.NOT_INSIDE: -inside,
    }


def oracle(holds: np.ndarray, hold: int, unbroken: int) -> tuple[int, int]:
    """Verdict and steps from whether the relations hold after each step."""
    held = 0
    for step, holds_now in enumerate(holds, start=1):
        held = held + 1 if holds_now else 0
        if held and held >= (max(hold, unbroken) if held == step else hold):
            return 1, step
    return 0, len(holds)


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    rng = np.random.default_rng(5)
    return [random_scene(rng) for _ in range(60)]


@pytest.fixture(scope="module")
def recorded(scenes: list[Scene]) -> engine.Rollouts:
    options = engine.Options(stride=1, events=True, max_steps=STEPS)
    return engine.rollout(engine.each(scenes), engine.RUN_TO_END, options)


def goal_bodies(scene: int) -> tuple[int, int]:
    """The two bodies of a scene's goal; in every fifth scene the jar is the first."""
    return (4, 3) if scene % 5 == 0 else (3, 4)


def mixed_rule(count: int) -> tuple[engine.Rule, np.ndarray, np.ndarray, np.ndarray]:
    """One rule for a batch in which scene k of world w is w // relations and its relation w % relations."""
    kinds = np.array([int(relation) for relation in SINGLE + SEVERAL])
    relation = np.tile(kinds, count)
    hold = np.where(np.arange(len(relation)) % 3 == 0, 1, HOLD)
    unbroken = np.where((relation == Relation.NOT_TOUCHING) | (relation == Relation.NOT_INSIDE), STEPS, 0)
    area_of = np.arange(len(relation)) // len(kinds) % 2
    a, b = np.array([goal_bodies(k) for k in range(count)]).repeat(len(kinds), axis=0).T
    rule = engine.relations(a, b, relation, hold, unbroken, areas=[JAR_AREA, SQUARE], area_of=area_of)
    return rule, relation, hold, unbroken


def test_a_mixed_batch_is_judged_as_the_oracle_judges_recorded_steps(
    scenes: list[Scene], recorded: engine.Rollouts
) -> None:
    rule, relation, hold, unbroken = mixed_rule(len(scenes))
    per_scene = len(relation) // len(scenes)
    worlds = engine.each([scene for scene in scenes for _ in range(per_scene)])
    stepped = engine.rollout(worlds, rule, engine.Options(stride=60, max_steps=STEPS))
    skipped = engine.rollout(worlds, rule, engine.Options(max_steps=STEPS))
    np.testing.assert_array_equal(skipped.verdicts, stepped.verdicts)
    np.testing.assert_array_equal(skipped.steps, stepped.steps)

    solved: dict[int, list[int]] = {}
    unclear = 0
    for k, scene in enumerate(scenes):
        a, b = goal_bodies(k)
        place = margins(scene, a, b, recorded.poses[k, 1:], [JAR_AREA, SQUARE][k % 2])
        touch = touching_steps(recorded.events[recorded.events["world"] == k], a, b, STEPS)
        holds_by = {name: margin > 0.0 for name, margin in place.items()}
        holds_by |= {Relation.TOUCHING: touch, Relation.NOT_TOUCHING: ~touch}
        for world in range(k * per_scene, (k + 1) * per_scene):
            parts = [part for part in Relation if part & relation[world]]
            holds = np.all([holds_by[part] for part in parts], axis=0)
            expected = oracle(holds, hold[world], unbroken[world])
            near = [np.abs(place[part]).min() < UNCLEAR for part in parts if part in place]
            if any(near):
                unclear += 1
                continue
            assert (stepped.verdicts[world], stepped.steps[world]) == expected, (k, Relation(relation[world]))
            solved.setdefault(int(relation[world]), []).append(expected[0])
    assert unclear < 0.1 * len(relation)
    for name in SINGLE:
        assert {0, 1} == set(solved[int(name)]), f"{name!r} is decided both ways"


def test_variants_that_share_their_past_are_judged_alike(scenes: list[Scene]) -> None:
    rng = np.random.default_rng(8)
    scene_of = np.repeat(np.arange(13), 8)
    relation = np.array([int(r) for r in SINGLE + SEVERAL])[scene_of]
    hit = rng.uniform([-5.0, 1.0, 0.0], [5.0, 9.0, 0.0], (len(scene_of), 1, 3))
    worlds = engine.variants(scenes[:13], scene_of=scene_of, kinds=[moving((Circle(0.4),), 0, 0, rng)], poses=hit)
    unbroken = np.where(relation == Relation.NOT_TOUCHING, STEPS, 0)
    rule = engine.relations(3, 4, relation, HOLD, unbroken, areas=[JAR_AREA], area_of=0)
    shared, alone = (
        engine.rollout(worlds, rule, engine.Options(max_steps=STEPS, share_past=share)) for share in (True, False)
    )
    np.testing.assert_array_equal(shared.verdicts, alone.verdicts)
    np.testing.assert_array_equal(shared.steps, alone.steps)
    assert len(set(shared.verdicts.tolist())) == 2


@pytest.mark.parametrize("reach", [0.0, 1.02])
def test_touching_as_a_relation_is_the_touching_rule(scenes: list[Scene], reach: float) -> None:
    worlds = engine.each(scenes)
    plain = engine.rollout(worlds, engine.touching(3, 4, HOLD, reach), engine.Options(max_steps=STEPS))
    general = engine.rollout(
        worlds, engine.relations(3, 4, Relation.TOUCHING, HOLD, reach=reach), engine.Options(max_steps=STEPS)
    )
    np.testing.assert_array_equal(plain.verdicts, general.verdicts)
    np.testing.assert_array_equal(plain.steps, general.steps)


def test_limits_of_boxes_are_those_of_drawn_shapes() -> None:
    """At rest without gravity: edges that coincide are above, but neither below nor beside; skins don't count."""
    gap = 1.0 / 64.0
    middle = Body((box(1.0, 1.0),), position=(0.0, 0.0), dynamic=True)
    places = [(0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-1.0, 0.0)]
    expected = {  # edges coincide, edges `gap` apart
        (0.0, 1.0): (Relation.ABOVE, Relation.ABOVE),
        (0.0, -1.0): (None, Relation.BELOW),
        (1.0, 0.0): (None, Relation.RIGHT_OF),
        (-1.0, 0.0): (None, Relation.LEFT_OF),
    }
    scenes, holding = [], []
    for place in places:
        for k, away in enumerate((0.0, gap)):
            at = tuple(coordinate * (1.0 + away) for coordinate in place)
            scenes.append(Scene((Body((box(1.0, 1.0),), position=at, layer=2, mask=2), middle), gravity=(0.0, 0.0)))
            holding.append(expected[place][k])
    for relation in (Relation.ABOVE, Relation.BELOW, Relation.LEFT_OF, Relation.RIGHT_OF):
        result = engine.rollout(engine.each(scenes), engine.relations(0, 1, relation, 3), engine.Options(max_steps=5))
        assert (result.verdicts == 1).tolist() == [found == relation for found in holding]


def test_inside_moves_with_the_other_body_and_needs_all_shapes() -> None:
    jar = Body(JAR.shapes, position=(3.0, 2.0), angle=math.pi / 2, layer=2, mask=2)
    discs = {(2.0, 2.0, 0.3): True, (2.0, 2.0, 1.1): False, (0.5, 2.0, 0.3): False, (3.0, 2.0, 0.2): False}
    scenes = [
        Scene((Body((Circle(radius),), position=(x, y), dynamic=True), jar), gravity=(0.0, 0.0))
        for x, y, radius in discs
    ]
    both = Body((Circle(0.1), Circle(0.1, (-2.0, 0.0))), position=(2.0, 2.0), dynamic=True)
    scenes.append(Scene((both, jar), gravity=(0.0, 0.0)))
    rule = engine.relations(0, 1, Relation.INSIDE, 2, areas=[JAR_AREA], area_of=0)
    verdicts = engine.rollout(engine.each(scenes), rule, engine.Options(max_steps=4)).verdicts
    assert (verdicts == 1).tolist() == [*discs.values(), False]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"relation": 0}, "relation must be one Relation"),
        ({"relation": 256}, "relation must be one Relation"),
        ({"hold": 0}, "hold must be 1 step or more"),
        ({"relation": Relation.INSIDE}, "need an area"),
        ({"relation": Relation.INSIDE, "area_of": 1, "areas": [SQUARE]}, "area_of must lie in 0..0"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict, message: str) -> None:
    with pytest.raises(engine.RuleError, match=message):
        engine.relations(**{"a": 0, "b": 1, "relation": Relation.ABOVE, "hold": 1} | arguments)


def test_a_body_that_the_world_lacks_is_refused(scenes: list[Scene]) -> None:
    with pytest.raises(engine.RuleError, match="names body 99"):
        engine.rollout(engine.each(scenes[:1]), engine.relations(3, 99, Relation.ABOVE, 1))
