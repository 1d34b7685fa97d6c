"""Rules that write outputs, see hits, and resume from saved states; continuous collision for bullets only."""

import numpy as np
import pytest
import warp as wp

from tumble import engine
from tumble.engine.rules.changes import set_velocity
from tumble.engine.rules.queries import (
    body_aabb,
    contact_count,
    current_step,
    distance_to,
    dynamic_at,
    float_param,
    hit_at,
    int_param,
    mass,
    output_int,
    position,
    set_body_scratch,
    set_output_int,
    table_float,
    table_int,
    velocity,
)
from tumble.engine.state.world import World
from tumble.scene import Body, Circle, Scene, box, samples

OUTPUTS = 10
HITS, FIRST, SECOND, SPEED, FAR, LOW, TABLE, MASS, BEGUN, CALLS = range(OUTPUTS)
FLOOR = Body((box(40.0, 1.0),), position=(0.0, -0.5), name="floor", friction=0.5)


@wp.func
def thousandths(value: float) -> int:
    return int(wp.floor(value * 1000.0 + 0.5))


@wp.func
def begin_watching(w: World) -> None:
    set_output_int(w, BEGUN, output_int(w, BEGUN) + 1)
    set_output_int(w, TABLE, table_int(w, int_param(w, 0)) + thousandths(table_float(w, 1)))


@wp.func
def watch(w: World) -> int:
    """Outputs the first hit and some measures of the first body; kicks it once; ends at a given step."""
    set_output_int(w, CALLS, output_int(w, CALLS) + 1)
    for k in range(contact_count(w)):
        first, second, speed = hit_at(w, k)
        if speed > 0.0:
            if output_int(w, HITS) == 0:
                set_output_int(w, FIRST, first)
                set_output_int(w, SECOND, second)
                set_output_int(w, SPEED, thousandths(speed))
            set_output_int(w, HITS, output_int(w, HITS) + 1)
    body = dynamic_at(w, 0)
    p = position(w, body)
    set_output_int(w, FAR, thousandths(distance_to(w, body, p[0] + 3.0, p[1] + 4.0)))
    set_output_int(w, LOW, thousandths(body_aabb(w, body).low[1]))
    set_output_int(w, MASS, thousandths(mass(w, body)))
    if current_step(w) == 90:
        v = velocity(w, body)
        set_velocity(w, body, v.linear[0] + 1.0, v.linear[1] + 2.0, v.angular)
        set_body_scratch(w, body, float_param(w, 0))
    if current_step(w) == int_param(w, 1):
        return 3
    return 0


def watching(last: int) -> engine.Rule:
    return engine.Rule(
        watch,
        ints=np.array([1, last]),
        floats=np.array([0.25]),
        uses_impulses=True,
        begin=begin_watching,
        output_ints=OUTPUTS,
        resumable=True,
        table_ints=np.array([10, 20]),
        table_floats=np.array([0.0, 0.5]),
    )


def watched(scene: Scene, last: int = 60, **options: object) -> np.ndarray:
    chosen = engine.Options(max_steps=600, **options)  # type: ignore[arg-type]
    return engine.rollout(engine.each([scene]), watching(last), chosen).output_ints[0]


def crate(x: float, y: float, **fields: object) -> Body:
    return Body((box(1.0, 1.0),), position=(x, y), dynamic=True, **fields)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_rule_sees_who_hit_whom_and_how_fast() -> None:
    """The crate that moves counts as the first; they meet at 2.5 m/s, whatever happens next."""
    scene = Scene((FLOOR, crate(3.0, 5.0), crate(0.0, 5.0, velocity=(2.5, 0.0))), gravity=(0.0, 0.0))
    outputs = watched(scene)
    assert outputs[HITS] == 1
    assert (outputs[FIRST], outputs[SECOND]) == (2, 1)
    assert outputs[SPEED] == 2500


def test_measures_of_a_body() -> None:
    """A crate of side 1 and density 2: its corner is nearest to a point 3 to the right and 4 up of its centre."""
    outputs = watched(Scene((FLOOR, crate(0.0, 5.0, density=2.0)), gravity=(0.0, 0.0)))
    assert outputs[FAR] == round(1000 * np.hypot(2.5, 3.5))
    assert outputs[LOW] == 4490, "with its skin of 0.01"
    assert outputs[MASS] == 2000
    ball = Body((Circle(0.5),), position=(0.0, 5.0), dynamic=True)
    assert watched(Scene((FLOOR, ball), gravity=(0.0, 0.0)))[FAR] == 4500


def test_tables_and_the_beginning() -> None:
    outputs = watched(Scene((FLOOR, crate(0.0, 5.0))))
    assert outputs[TABLE] == 20 + 500
    assert outputs[BEGUN] == 1
    assert outputs[CALLS] == 60


def final(scenes: list[Scene], last: int, **options: object) -> engine.Rollouts:
    chosen = engine.Options(max_steps=600, **options)  # type: ignore[arg-type]
    return engine.rollout(engine.each(scenes), watching(last), chosen, keep_states=True)


def test_resuming_from_a_saved_state_gives_the_bits_of_one_rollout() -> None:
    scenes = [samples.dominoes(), samples.stack(12), samples.pinball(), samples.jars()]
    whole = final(scenes, 240)
    parts = final(scenes, 70)
    assert (parts.verdicts == 3).all()
    for last in (130, 240):
        parts = engine.rollout(
            engine.each(scenes),
            watching(last),
            engine.Options(max_steps=600),
            start=parts.states,
            keep_states=True,
        )
    assert whole.states is not None
    assert parts.states is not None
    np.testing.assert_array_equal(whole.steps, parts.steps)
    for name in ("poses", "velocities", "body_scratch", "present", "awake"):
        np.testing.assert_array_equal(getattr(whole.states, name), getattr(parts.states, name))
    same = [k for k in range(OUTPUTS) if k != BEGUN]
    np.testing.assert_array_equal(whole.output_ints[:, same], parts.output_ints[:, same])
    assert (parts.output_ints[:, BEGUN] == 3).all()
    assert (whole.states.body_scratch[:, 0] == 0.25).all()


def test_many_worlds_resume_from_one_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """In any order, with little room for contacts, with frames counted from where they resume."""
    scenes = [samples.dominoes(), samples.stack(12)]
    start = final(scenes, 70).states
    of = np.array([1, 0, 0, 1, 1, 0, 1])
    worlds = engine.Worlds(tuple(scenes), of.astype(np.int32), engine.each([scenes[0]] * len(of)).changes)
    monkeypatch.setattr("tumble.engine.host.job.FIRST_CONTACTS", 4)
    many = engine.rollout(
        worlds, watching(130), engine.Options(max_steps=100, stride=60), start=start, start_of=of, keep_states=True
    )
    alone = final(scenes, 130)
    assert many.states is not None
    assert alone.states is not None
    np.testing.assert_array_equal(many.states.poses, alone.states.poses[of])
    assert list(many.frames) == [0, 60]
    crates = [k for k, body in enumerate(scenes[1].bodies) if body.dynamic]
    metres = many.poses[0, 1, crates] / np.array([scenes[1].units_per_metre] * 2 + [1.0])
    np.testing.assert_allclose(metres, many.states.poses[0, : len(crates)], rtol=1e-6)


def test_states_must_fit() -> None:
    start = final([samples.stack(12)], 70).states
    with pytest.raises(engine.RuleError, match="fewer bodies"):
        engine.rollout(engine.each([samples.stack(20)]), watching(130), start=start)
    with pytest.raises(engine.RuleError, match="one of 1 states"):
        engine.rollout(engine.each([samples.stack(12)]), watching(130), start=start, start_of=np.array([1]))
    with pytest.raises(engine.RuleError, match="resumable"):
        engine.rollout(engine.each([samples.stack(12)]), keep_states=True)


def test_only_bullets_are_stopped_at_a_thin_wall() -> None:
    """At 100 m/s a body moves 1.7 m in a step: past a wall of 0.1 m, unless continuous collision stops it."""
    wall = Body((box(0.1, 10.0),), position=(5.0, 0.0))

    def reached(bullet: bool, only_bullets: bool) -> float:
        ball = Body((Circle(0.2),), velocity=(100.0, 0.0), dynamic=True, bullet=bullet)
        options = engine.Options(stride=20, max_steps=20, only_bullets=only_bullets)
        scene = Scene((wall, ball), gravity=(0.0, 0.0))
        return float(engine.rollout(engine.each([scene]), options=options).poses[0, -1, 1, 0])

    assert reached(bullet=False, only_bullets=True) > 30.0
    assert reached(bullet=True, only_bullets=True) < 5.0
    assert reached(bullet=False, only_bullets=False) < 5.0
