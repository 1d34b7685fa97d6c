"""Rules decide rollouts and change worlds from inside the kernel."""

import numpy as np
import warp as wp

from tumble import engine
from tumble.engine.rules.changes import add_body, apply_impulse, remove_body, set_velocity
from tumble.engine.rules.queries import (
    body_scratch,
    contact_at,
    contact_count,
    current_step,
    float_param,
    int_param,
    is_present,
    position,
    scratch_int,
    set_body_scratch,
    set_scratch_int,
)
from tumble.engine.state.world import World
from tumble.scene import Body, Circle, Scene, box

REMOVE, ADD, PUSH, THROW, DAMAGE, COUNT = 1, 2, 3, 4, 5, 6
FLOOR = Body((box(40.0, 1.0),), position=(0.0, -0.5), name="floor", friction=0.5)


@wp.func
def director(w: World) -> int:
    """Does one thing to a body at a given step, or watches it for damage."""
    what = int_param(w, 0)
    body = int_param(w, 1)
    if current_step(w) == int_param(w, 2):
        p = position(w, body)
        if what == REMOVE:
            remove_body(w, body)
        if what == ADD:
            add_body(w, body, float_param(w, 0), float_param(w, 1), 0.0, float_param(w, 2), float_param(w, 3), 0.0)
        if what == PUSH:
            x = p[0] + float_param(w, 2)
            y = p[1] + float_param(w, 3)
            apply_impulse(w, body, float_param(w, 0), float_param(w, 1), x, y)
        if what == THROW:
            set_velocity(w, body, float_param(w, 0), float_param(w, 1), float_param(w, 2))
    if what == DAMAGE and is_present(w, body):
        for k in range(contact_count(w)):
            a, b, impulse = contact_at(w, k)
            if a == body or b == body:
                if impulse > float_param(w, 0):
                    set_body_scratch(w, body, body_scratch(w, body) + impulse)
        if body_scratch(w, body) > float_param(w, 1):
            remove_body(w, body)
            return 7
    if what == COUNT:
        set_scratch_int(w, 3, scratch_int(w, 3) + 1)
        if scratch_int(w, 3) == 25:
            return 9
    return 0


def directed(scene: Scene, what: int, body: int, step: int, *numbers: float, steps: int = 240) -> engine.Rollouts:
    floats = np.zeros(4, np.float32)
    floats[: len(numbers)] = numbers
    rule = engine.Rule(director, ints=np.array([what, body, step]), floats=floats, uses_impulses=True)
    return engine.rollout(
        engine.each([scene]), rule, engine.Options(stride=1, velocities=True, events=True, max_steps=steps)
    )


def crate(x: float, y: float, **fields: object) -> Body:
    return Body((box(1.0, 1.0),), position=(x, y), dynamic=True, **fields)  # type: ignore[arg-type]


def test_a_removed_support_lets_its_load_fall() -> None:
    scene = Scene((FLOOR, crate(0.0, 0.51), crate(0.0, 1.53)))
    result = directed(scene, REMOVE, 1, 120)
    y = result.poses[0, :, 2, 1]
    assert abs(y[119] - 1.5) < 0.05, "it stands on the other until then"
    assert np.isnan(result.poses[0, 121:, 1]).all(), "what is removed has no pose"
    assert abs(y[-1] - 0.5) < 0.05, "then it stands on the floor"
    ends = result.events[~result.events["begin"]]
    assert 120 in ends["step"], "removal ends its contacts"


def test_removal_wakes_sleepers() -> None:
    scene = Scene((FLOOR, crate(0.0, 0.51), crate(0.0, 1.53)))
    result = directed(scene, REMOVE, 1, 200, steps=300)
    y = result.poses[0, :, 2, 1]
    assert y[150] == y[199], "asleep before"
    assert y[-1] < 0.6


def test_a_dormant_body_is_absent_until_it_is_added() -> None:
    scene = Scene((FLOOR, crate(0.0, 0.51), crate(0.0, 0.0, dormant=True)))
    result = directed(scene, ADD, 2, 100, 0.2, 5.0, 1.5, 0.0)
    assert np.isnan(result.poses[0, :100, 2]).all()
    # the rule acts after step 100, whose frame is kept before it does
    np.testing.assert_allclose(result.velocities[0, 101, 2, 0], 1.5)
    np.testing.assert_allclose(result.poses[0, 101, 2, 0], 0.2 + 1.5 / 60.0, rtol=1e-5)
    hits = result.events[(result.events["body_b"] == 2) | (result.events["body_a"] == 2)]
    assert len(hits) > 0, "it meets the others"


def test_an_impulse_changes_velocity_by_its_share_of_mass_and_inertia() -> None:
    scene = Scene((crate(0.0, 0.0, density=2.0),), gravity=(0.0, 0.0))
    result = directed(scene, PUSH, 0, 10, 3.0, 0.0, 0.0, 0.5, steps=20)
    before, after = result.velocities[0, 9, 0], result.velocities[0, 11, 0]
    mass, inertia = 2.0, 2.0 * (1.0 + 1.0) / 12.0  # a unit square of density 2
    np.testing.assert_allclose(after[0] - before[0], 3.0 / mass, rtol=1e-5)
    np.testing.assert_allclose(after[2] - before[2], -0.5 * 3.0 / inertia, rtol=1e-5)


def test_a_thrown_body_wakes_and_flies() -> None:
    result = directed(Scene((FLOOR, crate(0.0, 0.51))), THROW, 1, 150, 2.0, 6.0, 0.0)
    assert result.poses[0, 149, 1, 1] == result.poses[0, 120, 1, 1], "asleep before"
    assert result.poses[0, 150:, 1, 1].max() > 1.5
    assert result.poses[0, -1, 1, 0] > 1.0


def test_a_damage_rule_sees_the_impulse_of_a_blow_but_not_of_rest() -> None:
    """A crate that falls from 5 m hits the floor with about its momentum m sqrt(2 g h); at rest it passes m g dt."""
    scene = Scene((FLOOR, crate(0.0, 5.5)))
    blow = np.sqrt(2 * 9.8 * 5.0)
    hit = directed(scene, DAMAGE, 1, 0, 1.0, 0.8 * blow)
    assert hit.verdicts[0] == 7
    assert 58 <= hit.steps[0] <= 64, "it falls for sqrt(2 h / g) = 1.01 s"
    spared = directed(scene, DAMAGE, 1, 0, 1.0, 1.5 * blow)
    assert spared.verdicts[0] == 0, "resting on the floor does no damage"


def test_a_rule_without_shortcut_is_called_after_every_step_even_when_all_sleep() -> None:
    result = directed(Scene((FLOOR,)), COUNT, 0, 0)
    assert result.verdicts[0] == 9
    assert result.steps[0] == 25


def test_touching_counts_consecutive_steps() -> None:
    """A ball on the floor touches from its landing on; one that bounces has to begin anew."""
    scene = Scene((FLOOR, Body((Circle(0.5),), position=(0.0, 3.0), dynamic=True, restitution=0.0)))
    landed = np.sqrt(2 * 2.5 / 9.8) * 60
    for hold in (1, 30, 100):
        result = engine.rollout(engine.each([scene]), engine.touching(0, 1, hold))
        assert result.verdicts[0] == 1
        assert abs(result.steps[0] - (landed + hold)) <= 3


def test_a_shortcut_for_sleeping_worlds_gives_what_stepping_would() -> None:
    scene = Scene((FLOOR, Body((Circle(0.5),), position=(0.0, 0.5), dynamic=True)))
    goal = engine.touching(0, 1, 300)
    quick = engine.rollout(engine.each([scene]), goal)
    stepped = engine.rollout(engine.each([scene]), goal, engine.Options(stride=1))
    assert quick.steps[0] == stepped.steps[0]
    assert quick.verdicts[0] == stepped.verdicts[0] == 1


def test_reach_counts_bodies_as_touching_before_they_do() -> None:
    balls = [Body((Circle(0.5),), position=(x, 0.0), dynamic=True) for x in (0.0, 1.02)]
    scene = Scene(tuple(balls), gravity=(0.0, 0.0))
    near = engine.rollout(engine.each([scene]), engine.touching(0, 1, 10, reach=1.03))
    apart = engine.rollout(engine.each([scene]), engine.touching(0, 1, 10))
    assert (near.verdicts[0], near.steps[0]) == (1, 10)
    assert apart.verdicts[0] == 0
