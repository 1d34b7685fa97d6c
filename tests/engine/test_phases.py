"""Steps in phases, as a GPU makes them, give the bits of the fused kernel. Most of it runs on the CPU as well."""

from dataclasses import replace

import golden
import numpy as np
import pytest
import warp as wp
from fingerprint import fingerprint, fingerprints, variants_of

from tumble import engine
from tumble.engine.host import rollout
from tumble.engine.host.stepping import (
    MANY_WORLDS,
    MULTIPROCESSORS,
    FusedSettings,
    PhaseSettings,
    stepped_by,
    stepping_for,
)
from tumble.engine.rollout.lanes import VEC_BYTES, Lanes, lane_view
from tumble.engine.rollout.phases import (
    CLASS_SIZES,
    HOLE,
    STEP_PHASES,
    WARP,
    WorkList,
    add_item,
    clear_list,
    find_item,
    first_place,
    size_class,
    step_kernel,
)
from tumble.engine.state.world import World
from tumble.phyq.catalogue.templates import templates
from tumble.phyq.simulation.shots import table_of
from tumble.phyq.simulation.simulator import Simulator
from tumble.scene import samples

MANY = 262_200
"""Worlds that fill any GPU."""
SMALL = PhaseSettings(lanes=64, group=32, graph_steps=5)
"""Few lanes, so that worlds wait for a free one."""
STEPS = 300


@wp.kernel
def fill_and_read(work: WorkList, weights: wp.array(dtype=int), found: wp.array2d(dtype=int)) -> None:
    """Lists every lane by its weight, in one thread, and reads the list group by group."""
    for lane in range(weights.shape[0]):
        add_item(work, lane, lane % 3, weights[lane])
    for group in range(work.groups):
        at = int(0)
        item, end = find_item(work, group, at)
        while at < end:
            found[group, at] = item
            at = at + 1
            item, end = find_item(work, group, at)
    clear_list(work, 0, 1)


@wp.kernel
def locate(lanes: Lanes, tile: int, world: World, places: wp.array2d(dtype=int)) -> None:
    """Where the items of a lane lie, by the formula of `state/memory.py`."""
    w = lane_view(world, lanes, wp.tid(), tile)
    for item in range(lanes.vecs):
        places[wp.tid(), item] = int(w.vecs // VEC_BYTES) + item * w.stride


@pytest.mark.parametrize("tile", [1, 8, 32, 64])
def test_lanes_of_a_tile_are_interleaved(tile: int) -> None:
    count, vecs = 64, 5
    lanes = Lanes()
    lanes.vecs, lanes.ints = vecs, 1
    places = wp.zeros((count, vecs), dtype=int, device="cpu")
    wp.launch(locate, dim=count, inputs=[lanes, tile, World(), places], device="cpu")
    expected = np.arange(count * vecs).reshape(count // tile, vecs, tile).transpose(0, 2, 1).reshape(count, vecs)
    np.testing.assert_array_equal(places.numpy(), expected)
    lanes.first = 3
    wp.launch(locate, dim=count - 3, inputs=[lanes, tile, World(), places], device="cpu")
    np.testing.assert_array_equal(places.numpy()[: count - 3], expected[3:])


@pytest.mark.parametrize("block", [64, 512])
def test_lanes_of_fused_kernels_are_whole_blocks(block: int) -> None:
    settings = FusedSettings(block=block, blocks_per_processor=2)
    assert settings.lanes_for(1, most=10**7) == block
    assert settings.lanes_for(block + 1, most=10**7) == 2 * block
    assert settings.lanes_for(10**7, most=10**7) == 2 * MULTIPROCESSORS * block
    assert settings.lanes_for(10**7, most=10 * block + 1) == 10 * block
    assert settings.lanes_for(10**7, most=0) == block


@pytest.mark.parametrize(("worlds", "block"), [(1, 512), (65_550, 512), (MANY, 768)])
def test_large_blocks_are_for_worlds_that_fill_the_gpu(worlds: int, block: int) -> None:
    settings = stepping_for(False, engine.touching(0, 1, 1), worlds)
    assert isinstance(settings, FusedSettings)
    assert settings.block == block


@wp.kernel
def classify(sizes: wp.array(dtype=int), classes: wp.array(dtype=int)) -> None:
    classes[wp.tid()] = size_class(sizes[wp.tid()])


def test_lists_hold_every_item_once_the_heaviest_first() -> None:
    rng = np.random.default_rng(0)
    group, groups, bins = 96, 3, 5
    weights = rng.integers(0, bins + 2, group * groups)  # some are heavier than the heaviest bin
    rooms = [group] * bins
    counts = wp.zeros(groups * bins, dtype=int, device="cpu")
    starts = wp.array(np.cumsum(rooms) - rooms, dtype=int, device="cpu")
    items = wp.zeros(groups * sum(rooms), dtype=int, device="cpu")
    work = WorkList()
    work.counts, work.starts, work.items = counts.ptr, starts.ptr, items.ptr
    work.bins, work.room, work.group, work.groups, work.threads = bins, sum(rooms), group, groups, group
    found = wp.full((groups, group + bins * WARP), HOLE, dtype=int, device="cpu")
    inputs = [work, wp.array(weights, dtype=int, device="cpu"), found]
    wp.launch(fill_and_read, dim=1, inputs=inputs, device="cpu")
    for index, row in enumerate(found.numpy()):
        kept = row[row >= 0]
        lanes = index * group + kept % group
        np.testing.assert_array_equal(np.sort(lanes), np.arange(index * group, (index + 1) * group))
        np.testing.assert_array_equal(kept // group, lanes % 3)
        assert (np.diff(np.minimum(weights[lanes], bins - 1)) <= 0).all()
        for first in range(0, len(row), WARP):
            warp = row[first : first + WARP]
            heavy = np.minimum(weights[index * group + warp[warp >= 0] % group], bins - 1)
            assert len(np.unique(heavy)) <= 1, "a warp has items of one bin"
    assert not counts.numpy().any()


@wp.kernel
def take_places(work: WorkList, taken: wp.array2d(dtype=int)) -> None:
    group, at = first_place(work, wp.tid())
    taken[group, at] = taken[group, at] + 1


def test_every_place_has_one_thread() -> None:
    work = WorkList()
    work.bins, work.groups, work.group, work.threads = 5, 3, 4 * WARP, 4 * WARP
    taken = wp.zeros((work.groups, work.threads), dtype=int, device="cpu")
    wp.launch(take_places, dim=work.groups * work.threads, inputs=[work, taken], device="cpu")
    assert (taken.numpy() == 1).all()


def test_classes_are_those_of_the_table() -> None:
    sizes = np.arange(100)
    classes = wp.zeros(len(sizes), dtype=int, device="cpu")
    wp.launch(classify, dim=len(sizes), inputs=[wp.array(sizes, dtype=int, device="cpu"), classes], device="cpu")
    np.testing.assert_array_equal(classes.numpy(), np.searchsorted(CLASS_SIZES, sizes, side="right") - 1)


def test_each_phase_is_a_module_of_its_own() -> None:
    kernels = [step_kernel(name, registers) for name in STEP_PHASES for registers in (64, 128)]
    assert len({kernel.module.name for kernel in kernels}) == len({kernel.key for kernel in kernels}) == len(kernels)


@pytest.mark.parametrize("worlds", [1, 31, 33, 4096, 4097, 131072, 10**6])
def test_lanes_are_whole_groups(worlds: int) -> None:
    settings = PhaseSettings()
    lanes = settings.lanes_for(worlds, most=settings.lanes)
    assert lanes % settings.group_of(lanes) == 0
    assert min(worlds, settings.lanes) <= lanes < settings.lanes + settings.group
    assert settings.lanes_for(worlds, most=1) == WARP


def test_gpus_step_in_phases_under_resumable_rules_and_cpus_never() -> None:
    resumable = engine.Rule(fingerprint, resumable=True)
    assert stepping_for(False, resumable, MANY) == PhaseSettings()
    assert stepping_for(False, engine.RUN_TO_END, MANY) == MANY_WORLDS
    assert stepping_for(False, None, MANY) == stepping_for(True, resumable, MANY) == MANY_WORLDS
    with stepped_by(SMALL):
        assert stepping_for(True, None, MANY) is SMALL
    assert stepping_for(True, None, MANY) == MANY_WORLDS


def variants(count: int) -> tuple[engine.Worlds, engine.Rule]:
    """Variants of three scenes, each judged by its fingerprint at a step of its scene."""
    scenes = [samples.dominoes(), samples.stack(5), samples.pinball()]
    worlds, scene_of = variants_of(scenes, count, 2, np.random.default_rng(3))
    return worlds, fingerprints(scenes, scene_of, np.array([120, 200, 290]))


def both_ways(device: str, worlds: engine.Worlds, rule: engine.Rule, **options: object) -> list[str]:
    """The hashes of rollouts, fused and in phases."""
    chosen = engine.Options(device=device, max_steps=STEPS, **options)  # type: ignore[arg-type]
    hashes = []
    for settings in (FusedSettings(), SMALL):
        with stepped_by(settings):
            result = engine.rollout(worlds, rule, chosen)
            assert len(np.unique(result.verdicts)) > 40, "the fingerprints must tell worlds apart"
            hashes.append(golden.digest(result))
    return hashes


ON_BOTH = pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])


@pytest.mark.slow
@ON_BOTH
def test_many_worlds_in_few_lanes_with_frames_and_events(device: str) -> None:
    fused, phased = both_ways(device, *variants(200), stride=10, velocities=True, events=True)
    assert fused == phased


@pytest.mark.slow
@ON_BOTH
@pytest.mark.parametrize(("velocity", "position"), [(0, 20), (15, 0), (1, 1)])
def test_islands_in_one_loop_and_in_a_thread_each_with_few_iterations(
    velocity: int, position: int, device: str
) -> None:
    fused, phased = both_ways(
        device, *variants(200), stride=10, velocity_iterations=velocity, position_iterations=position
    )
    assert fused == phased


@pytest.mark.slow
@ON_BOTH
def test_worlds_that_share_a_past(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rollout, "GPU_FEWEST_VARIANTS", rollout.CPU_FEWEST_VARIANTS)
    monkeypatch.setattr(rollout, "GPU_FEWEST_WORLDS", 1)
    worlds, rule = variants(300)
    fused, phased = both_ways(device, worlds, rule)
    plain, _ = both_ways(device, worlds, rule, share_past=False)
    assert fused == phased == plain


@pytest.mark.slow
def test_golden_hashes() -> None:
    with stepped_by(SMALL):
        assert golden.measured() == golden.stored()["hashes"]


@pytest.mark.gpu
def test_golden_hashes_of_the_fused_kernel_on_the_gpu() -> None:
    with stepped_by(FusedSettings()):
        assert golden.measured(device="cuda") == golden.stored()["hashes"]


@pytest.mark.slow
@ON_BOTH
@pytest.mark.parametrize(
    "settings",
    [
        replace(SMALL, large_from=1000),
        replace(SMALL, large_from=2, group=64, graph_steps=1, team=32),
        replace(SMALL, lanes=96, team=4, registers=96),
    ],
)
def test_settings_change_nothing(settings: PhaseSettings, device: str) -> None:
    worlds, rule = variants(120)
    options = engine.Options(max_steps=STEPS, stride=50, share_past=False, device=device)
    hashes = []
    for chosen in (SMALL, settings):
        with stepped_by(chosen):
            hashes.append(golden.digest(engine.rollout(worlds, rule, options)))
    assert hashes[0] == hashes[1]


@pytest.mark.slow
@ON_BOTH
def test_phyq_shots_with_resumed_states(device: str) -> None:
    """A rule with memory, output and interventions, whose worlds are saved and resumed."""
    levels = [design.base for design in list(templates().values())[::15]]
    level_of = np.repeat(np.arange(len(levels)), 3)
    shots = table_of(np.tile([10.0, 35.0, 60.0], len(levels)))
    played = []
    for settings in (FusedSettings(), SMALL):
        with stepped_by(settings):
            played.append(Simulator(levels, device, threads=1).play(level_of, shots))
    fused, phases = played
    for name in ("status", "steps", "pigs_left", "score", "start", "released", "tapped"):
        np.testing.assert_array_equal(getattr(fused, name), getattr(phases, name), err_msg=name)
