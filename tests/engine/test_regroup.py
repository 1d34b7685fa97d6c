"""Worlds that change lanes between launches of a fused kernel give the same bits, on the CPU as well."""

from collections.abc import Iterator
from typing import Any

import golden
import numpy as np
import pytest
import warp as wp
from fingerprint import fingerprints, variants_of

from tumble import engine
from tumble.engine.host import chunk, machine, regrouping, shared_past, stepping
from tumble.engine.host.machine import Machine
from tumble.engine.host.regrouping import Half, Regrouping, regroupings
from tumble.engine.host.stepping import FusedSettings, PhaseSettings, stepped_by
from tumble.engine.rollout.kernels import kernels_for
from tumble.engine.rollout.output import Lanes, lane_view
from tumble.engine.rollout.regroup import WORK_CLASSES, near_class, target_lane, work_class
from tumble.engine.rollout.work_list import WARP
from tumble.engine.state.layout import ALL_ASLEEP, HEADER_INTS, MOVED_COUNT, WORLD_INDEX, Capacity
from tumble.engine.state.world import World, get_int
from tumble.phyq.simulation.shots import table_of
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.templates import templates
from tumble.scene import samples

STEPS = 300
BLOCKS = 2
"""Of the lanes in these tests: fewer lanes than worlds, so that some wait."""
ON_BOTH = pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])


def regrouped(steps: int, **others: Any) -> FusedSettings:
    return FusedSettings(**{"block": 2 * WARP, "regroup_steps": steps, **others})


@pytest.fixture(autouse=True)
def few_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has CPUs regroup too, and gives devices few lanes."""
    monkeypatch.setattr(machine, "CPU_REGROUPS", True)
    monkeypatch.setattr(machine, "REGROUP_BYTES", 0)
    monkeypatch.setattr(stepping, "MULTIPROCESSORS", BLOCKS)
    monkeypatch.setattr(shared_past, "GPU_FEWEST_VARIANTS", shared_past.CPU_FEWEST_VARIANTS)
    monkeypatch.setattr(shared_past, "GPU_FEWEST_WORLDS", 1)


def variants(count: int) -> tuple[engine.Worlds, engine.Rule]:
    """Variants of three scenes, each judged by its fingerprint at a step of its scene."""
    scenes = [samples.dominoes(), samples.stack(5), samples.pinball()]
    worlds, scene_of = variants_of(scenes, count, 2, np.random.default_rng(3))
    return worlds, fingerprints(scenes, scene_of, np.array([120, 200, 290]))


def rolled_out(settings: FusedSettings, device: str, count: int = 200, **options: Any) -> engine.Rollouts:
    with stepped_by(settings):
        return engine.rollout(*variants(count), engine.Options(device=device, max_steps=STEPS, **options))


@wp.kernel
def find_lanes(worlds: int, lanes: int, block: int, fewest: int, found: wp.array(dtype=int)) -> None:
    found[wp.tid()] = target_lane(wp.tid(), worlds, lanes, block, fewest)


@pytest.mark.parametrize("fewest", [0, 1, 8, WARP])
@pytest.mark.parametrize("block", [32, 96, 256])
@pytest.mark.parametrize("blocks", [1, 3, 8])
def test_worlds_are_dealt_to_warps_and_warps_to_blocks(blocks: int, block: int, fewest: int) -> None:
    lanes, warps = block * blocks, block * blocks // WARP
    for worlds in {1, min(2, lanes), warps, min(warps + 1, lanes), lanes // 2, lanes - 1, lanes}:
        found = wp.zeros(worlds, dtype=int, device="cpu")
        wp.launch(find_lanes, dim=worlds, inputs=[worlds, lanes, block, fewest, found], device="cpu")
        lane = found.numpy()
        assert len(np.unique(lane)) == worlds
        assert lane.min() >= 0
        assert lane.max() < lanes
        per_warp = max(-(-worlds // warps), fewest)
        warp = lane // WARP
        assert np.bincount(warp).max() == min(per_warp, worlds)
        assert (lane % WARP < per_warp).all()
        assert (warp[np.arange(worlds) // per_warp * per_warp] == warp).all(), "neighbours share a warp"
        used = min(blocks, -(-worlds // (per_warp * (block // WARP)))) if fewest else blocks
        of_block = np.bincount(warp[::per_warp] // (block // WARP), minlength=used)
        assert len(of_block) == used
        assert of_block.max() - of_block.min() <= 1
        heaviest = lane[::per_warp][:used] // block
        assert len(np.unique(heaviest)) == len(heaviest), "the heaviest warps are in different blocks"


@wp.kernel
def classify_near(classes: wp.array(dtype=int)) -> None:
    classes[wp.tid()] = near_class(wp.tid())


def test_classes_of_contacts_that_do_not_touch() -> None:
    classes = wp.zeros(10, dtype=int, device="cpu")
    wp.launch(classify_near, dim=10, inputs=[classes], device="cpu")
    np.testing.assert_array_equal(classes.numpy(), [0, 0, 1, 1, 2, 2, 2, 2, 3, 3])


@wp.kernel
def look(
    world: World,
    lanes: Lanes,
    occupied: wp.array(dtype=int),
    classes: wp.array(dtype=int),
    worlds: wp.array(dtype=int),
) -> None:
    if occupied[wp.tid()] == 1:
        w = lane_view(world, lanes, wp.tid())
        classes[wp.tid()] = work_class(w)
        worlds[wp.tid()] = get_int(w, WORLD_INDEX)


@wp.kernel
def read_lists(world: World, lanes: Lanes, moved: wp.array2d(dtype=int), outputs: wp.array2d(dtype=int)) -> None:
    w = lane_view(world, lanes, wp.tid())
    for k in range(get_int(w, MOVED_COUNT)):
        moved[get_int(w, WORLD_INDEX), k] = get_int(w, w.moved_i + k)
    for k in range(w.output_ints):
        outputs[get_int(w, WORLD_INDEX), k] = get_int(w, w.outputs_i + k)


def test_what_a_rule_left_in_lists_is_moved() -> None:
    """Shapes that it moved, which the next step looks at, and its output."""
    size, count, rng = Capacity(bodies=3, shapes=4, contacts=5, output_ints=2), 128, np.random.default_rng(0)
    vecs = wp.zeros(count * size.vecs, dtype=wp.vec4, device="cpu")
    numbers = rng.integers(0, 100, (count, size.ints)).astype(np.int32)
    numbers[:, :HEADER_INTS] = 0
    numbers[:, ALL_ASLEEP], numbers[:, MOVED_COUNT] = 1, rng.integers(0, size.shapes + 1, count)
    numbers[:, WORLD_INDEX] = np.arange(count)
    ints = wp.array(numbers.reshape(-1), dtype=int, device="cpu")
    world, lanes = World(), Lanes()
    world.max_bodies, world.max_shapes, world.max_contacts = size.bodies, size.shapes, size.contacts
    world.output_ints, world.vecs, world.ints = size.output_ints, vecs.ptr, ints.ptr
    lanes.tile, lanes.vecs, lanes.ints = 1, size.vecs, size.ints
    with stepped_by(regrouped(8)):
        moving = Regrouping(Machine(engine.Options()), regrouped(8), world, lanes, count)
    moving.halves[0].occupied.fill_(1)
    for command in moving._moves[0]:
        command.launch()
    found = []
    for half in moving.halves:
        lists = [wp.full((count, width), -1, dtype=int, device="cpu") for width in (size.shapes, size.output_ints)]
        wp.launch(read_lists, dim=count, inputs=[half.world, lanes, *lists], device="cpu")
        found.append([one.numpy() for one in lists])
    for before, after in zip(*found, strict=True):
        assert len(np.unique(before)) > 50
        np.testing.assert_array_equal(before, after)


class Watched(Regrouping):
    """Fills the memory that worlds move to with other numbers, and looks at where they went."""

    moves: int
    largest_class: int

    def _move(self, source: int, target: int) -> list[Any]:
        before, after = self.halves[source], self.halves[target]
        return [Call(self._spoil, before, after), *super()._move(source, target), Call(self._check, before, after)]

    def _spoil(self, before: Half, half: Half) -> None:
        half.occupied.fill_(1)
        if not before.occupied.numpy().any():
            return
        count = self.lane_count
        wp.array(ptr=half.world.vecs, shape=count * self.lanes.vecs, dtype=wp.vec4, device="cpu").fill_(np.nan)
        wp.array(ptr=half.world.ints, shape=count * self.lanes.ints, dtype=int, device="cpu").fill_(1)

    def _look(self, half: Half) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Whether lanes have a world, and of each its class and its index."""
        found = [wp.zeros(self.lane_count, dtype=int, device="cpu") for _ in range(2)]
        wp.launch(look, dim=self.lane_count, inputs=[half.world, self.lanes, half.occupied, *found], device="cpu")
        return half.occupied.numpy() == 1, found[0].numpy(), found[1].numpy()

    def _check(self, before: Half, after: Half) -> None:
        if not before.occupied.numpy().any():
            assert not after.occupied.numpy().any()
            return
        occupied, classes, worlds = self._look(before)
        moved, moved_classes, moved_worlds = self._look(after)
        assert sorted(zip(worlds[occupied], classes[occupied], strict=True)) == sorted(
            zip(moved_worlds[moved], moved_classes[moved], strict=True)
        )
        lane = np.arange(self.lane_count)
        block = self.settings.block
        number = (lane % block // WARP * (self.lane_count // block) + lane // block) * WARP + lane % WARP
        order = lane[np.argsort(number)]  # by warp, as they are dealt
        sorted_classes = moved_classes[order][moved[order]]
        assert (np.diff(sorted_classes) <= 0).all(), "the heaviest come first"
        assert sorted_classes.max(initial=0) < WORK_CLASSES
        per_warp = np.add.reduceat(moved, lane[::WARP])
        evenly = -(-int(occupied.sum()) // len(per_warp))
        assert per_warp.max() == min(max(evenly, self.settings.fewest_per_warp), occupied.sum())
        Watched.moves += 1
        Watched.largest_class = max(Watched.largest_class, int(sorted_classes.max(initial=0)))


class Call:
    """A function in place of a recorded launch."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.function, self.arguments = function, arguments

    def launch(self) -> None:
        self.function(*self.arguments)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(chunk, "Regrouping", Watched)
    Watched.moves, Watched.largest_class = 0, 0
    yield
    assert Watched.moves > 100
    assert Watched.largest_class > 20, "some worlds must have much to do"


@pytest.mark.usefixtures("watched")
def test_regrouped_worlds_have_the_same_bits() -> None:
    """In one test, since all need the same kernels."""
    expected = golden.digest(rolled_out(FusedSettings(), "cpu"))
    for share_past in (False, True):
        for steps in (1, 7, 50):
            result = rolled_out(regrouped(steps), "cpu", share_past=share_past)
            assert len(np.unique(result.verdicts)) > 40, "the fingerprints must tell worlds apart"
            assert golden.digest(result) == expected, (share_past, steps)
    spread = regrouped(7, lanes_per_world=WARP)
    for settings in (spread, regrouped(7, fewest_per_warp=WARP)):
        assert golden.digest(rolled_out(settings, "cpu", share_past=False)) == expected
    plain, by_turns = (rolled_out(one, "cpu", count=3) for one in (FusedSettings(), spread))
    assert golden.digest(plain) == golden.digest(by_turns)


def test_worlds_of_large_lanes_stay_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = golden.digest(rolled_out(FusedSettings(), "cpu"))
    monkeypatch.setattr(regrouping, "MOST_BYTES", 1000)
    monkeypatch.setattr(Regrouping, "_move", None)
    assert golden.digest(rolled_out(regrouped(7), "cpu", share_past=False)) == expected


@pytest.mark.gpu
@pytest.mark.parametrize("share_past", [False, True])
@pytest.mark.parametrize(
    "settings",
    [
        regrouped(1),
        regrouped(7),
        regrouped(50, block=512, blocks_per_processor=2),
        regrouped(48, lanes_per_world=WARP),
        regrouped(48, fewest_per_warp=8),
        regrouped(48, block=1024, lanes_per_world=2, registers=128),
    ],
)
def test_regrouped_worlds_have_the_same_bits_on_a_gpu(settings: FusedSettings, share_past: bool) -> None:
    expected = golden.digest(rolled_out(FusedSettings(), "cpu"))
    for _ in range(2):
        assert golden.digest(rolled_out(settings, "cuda", share_past=share_past)) == expected


@pytest.mark.gpu
def test_regrouped_groups_of_worlds_that_overlap_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_past, "GPU_WORLDS", 150)
    expected = golden.digest(rolled_out(FusedSettings(), "cpu", count=900))
    assert golden.digest(rolled_out(regrouped(20), "cuda", count=900)) == expected


@pytest.mark.slow
@ON_BOTH
def test_frames_and_events_of_regrouped_worlds(device: str) -> None:
    wanted: dict[str, Any] = {"stride": 10, "velocities": True, "events": True}
    expected = golden.digest(rolled_out(FusedSettings(), device, **wanted))
    for steps in (1, 13):
        assert golden.digest(rolled_out(regrouped(steps), device, **wanted)) == expected


@pytest.mark.slow
@ON_BOTH
def test_phyq_shots_with_resumed_states(device: str) -> None:
    """A rule with memory, output and interventions, whose worlds are saved and resumed."""
    levels = [design.base for design in list(templates().values())[::15]]
    level_of = np.repeat(np.arange(len(levels)), 3)
    shots = table_of(np.tile([10.0, 35.0, 60.0], len(levels)))
    played = []
    for settings in (FusedSettings(), regrouped(5)):
        with stepped_by(settings):
            played.append(Simulator(levels, device, threads=1).play(level_of, shots))
    for name in ("status", "steps", "pigs_left", "score", "start", "released", "tapped"):
        np.testing.assert_array_equal(getattr(played[0], name), getattr(played[1], name), err_msg=name)


@pytest.mark.parametrize(
    ("worlds", "lanes", "steps", "expected"), [(10, 100, 10, 11), (100, 100, 7, 29), (0, 9, 5, 20)]
)
def test_there_are_launches_for_all_steps(worlds: int, lanes: int, steps: int, expected: int) -> None:
    assert regroupings(worlds, lanes, 100, steps) == expected


def test_worlds_without_steps() -> None:
    assert regroupings(10, 64, 0, 5) == 0


def test_lanes_for_each_world_are_for_regrouping_only() -> None:
    assert regrouped(8, lanes_per_world=2).lanes_for(50) == 128
    assert regrouped(8, lanes_per_world=32).lanes_for(50) == BLOCKS * 64
    assert regrouped(0, lanes_per_world=2).lanes_for(50) == 64
    with pytest.raises(ValueError, match="multiple of 32"):
        FusedSettings(block=48)


def test_cpus_and_small_gpus_do_not_regroup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "CPU_REGROUPS", False)
    with stepped_by(regrouped(8)):
        assert Machine(engine.Options()).regroup_steps == 0
        monkeypatch.setattr(machine, "CPU_REGROUPS", True)
        assert Machine(engine.Options()).regroup_steps == 8
    with stepped_by(PhaseSettings()):
        assert Machine(engine.Options()).regroup_steps == 0


def test_kernels_by_turns_are_others() -> None:
    rule = engine.touching(0, 1, 1)
    plain, by_turns = (kernels_for(rule, one_module=False, registers=64, by_turns=one) for one in (False, True))
    assert plain.branch.module.name != by_turns.branch.module.name
    assert plain is kernels_for(rule, one_module=False, registers=64, by_turns=False)
