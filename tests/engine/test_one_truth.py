"""The same task gives the same bits, however and wherever it is rolled out."""

import golden
import numpy as np
import pytest
from other_physics import VARIANTS, changed

from tumble import engine
from tumble.scene import Body, Circle, samples

BALL = Body((Circle(5.0),), dynamic=True, density=0.25, friction=0.5, restitution=0.2)


def dropped_balls(count: int, seed: int = 0) -> engine.Worlds:
    """Variants of three scenes, a ball dropped at a random place in each."""
    rng = np.random.default_rng(seed)
    scenes = [samples.dominoes(), samples.jars(), samples.pinball()]
    poses = np.zeros((count, 1, 3))
    poses[:, 0, 0] = rng.uniform(10.0, 246.0, count)
    poses[:, 0, 1] = rng.uniform(120.0, 240.0, count)
    return engine.variants(scenes, scene_of=np.arange(count) % 3, kinds=[BALL], poses=poses)


def rolled(worlds: engine.Worlds, **options: object) -> engine.Rollouts:
    chosen = {"stride": 20, "velocities": True, "events": True, "max_steps": 240, **options}
    return engine.rollout(worlds, options=engine.Options(**chosen))  # type: ignore[arg-type]


def same(a: engine.Rollouts, b: engine.Rollouts) -> bool:
    return golden.digest(a) == golden.digest(b)


def test_golden_hashes() -> None:
    stored = golden.stored()
    assert stored["physics"] == engine.physics_id()
    assert golden.measured() == stored["hashes"], "bits changed: if that was meant, raise PHYSICS_VERSION (golden.py)"


@pytest.mark.gpu
def test_golden_hashes_on_the_gpu() -> None:
    assert golden.measured(device="cuda") == golden.stored()["hashes"]


@pytest.mark.gpu
def test_a_batch_on_the_gpu_equals_one_on_the_cpu() -> None:
    assert same(rolled(dropped_balls(90)), rolled(dropped_balls(90), device="cuda"))


def test_repeating_changes_nothing() -> None:
    assert same(rolled(dropped_balls(30)), rolled(dropped_balls(30)))


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_change_nothing(threads: int) -> None:
    assert same(rolled(dropped_balls(90), threads=1), rolled(dropped_balls(90), threads=threads))


@pytest.mark.parametrize("chunk", [1, 7, 64])
def test_chunks_change_nothing(chunk: int) -> None:
    assert same(rolled(dropped_balls(60)), rolled(dropped_balls(60), chunk=chunk))


def test_one_world_alone_equals_the_same_among_ten_thousand_wherever_it_stands() -> None:
    many = dropped_balls(10_000)
    batch = engine.rollout(many, options=engine.Options(stride=60, max_steps=60))
    for k in (0, 1, 4_999, 9_998, 9_999):
        alone = engine.rollout(many.take(np.array([k])), options=engine.Options(stride=60, max_steps=60))
        np.testing.assert_array_equal(alone.poses[0], batch.poses[k, :, : alone.poses.shape[2]])
    turned = np.arange(10_000)[::-1]
    backwards = engine.rollout(many.take(turned), options=engine.Options(stride=60, max_steps=60))
    np.testing.assert_array_equal(backwards.poses[turned], batch.poses)


def test_other_work_in_between_changes_nothing() -> None:
    before = rolled(dropped_balls(9))
    rolled(dropped_balls(50, seed=5), threads=2)
    engine.rollout(engine.each([samples.stack(20)]), options=engine.Options(max_steps=500))
    assert same(before, rolled(dropped_balls(9)))


def test_room_for_contacts_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = rolled(dropped_balls(12))
    monkeypatch.setattr("tumble.engine.host.job.FIRST_CONTACTS", 3)
    monkeypatch.setattr("tumble.engine.host.job.FIRST_EVENTS", 2)
    assert same(expected, rolled(dropped_balls(12)))


@pytest.mark.slow
def test_a_broken_engine_fails_the_golden_test() -> None:
    """Contacts in another order: a physically sound engine, and yet not ours."""
    with changed(VARIANTS["contacts oldest first"]):
        broken = golden.measured()
    wrong = [name for name, value in golden.stored()["hashes"].items() if broken[name] != value]  # type: ignore[attr-defined]
    assert {"ramp", "jars", "dominoes"} <= set(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, changes in VARIANTS.items() if changes])
def test_every_variant_changes_bits(name: str) -> None:
    with changed(VARIANTS[name]):
        assert golden.measured() != golden.stored()["hashes"]
