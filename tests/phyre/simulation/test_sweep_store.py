"""A store returns what was swept into it, even after crashes."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tumble import phyre
from tumble.engine.state import constants
from tumble.phyre.simulation import sweep_files as sweeps
from tumble.phyre.simulation.sweep_files import StoreError, SweepStore, pack_statuses, unpack_statuses
from tumble.scene import Body, Circle, Scene

ACTIONS = phyre.actions.fixed_set(phyre.TIERS["B"], 30)


def two_balls(number: int, x: float = 50.0, tier: str = "B") -> phyre.Task:
    balls = tuple(Body((Circle(5.0),), position=(place, 50.0), dynamic=True) for place in (x, x + 100.0))
    return phyre.Task(f"90000:{number:03d}", tier, Scene(balls), body=0, other=1)


TASKS = [two_balls(number) for number in range(10)]
IDS = [task.id for task in TASKS]


def statuses_of(task_ids: Sequence[str], actions: int = len(ACTIONS)) -> np.ndarray:
    """Statuses that depend on the task only, as those of a simulator do."""
    drawn = [np.random.default_rng(int(task_id[-3:])).integers(-1, 2, actions) for task_id in task_ids]
    return np.array(drawn, np.int8)


class FakeSimulator:
    """Invents statuses, and records for which tasks."""

    def __init__(self, tasks: Sequence[phyre.Task] = TASKS, before: Callable[[Sequence[str]], None] | None = None):
        self.tasks = tasks
        self.calls: list[list[str]] = []
        self.before = before or (lambda _: None)

    def sweep(
        self,
        actions: object,
        task_ids: Sequence[str] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> np.ndarray:
        assert task_ids is not None
        assert progress is not None
        np.testing.assert_array_equal(actions, ACTIONS)
        self.before(task_ids)
        self.calls.append(list(task_ids))
        statuses = statuses_of(task_ids)
        progress(statuses.size)
        return statuses


def created(folder: Path, tasks_per_shard: int = 3) -> SweepStore:
    return sweeps.create_store(folder, TASKS, "B", ACTIONS, tasks_per_shard)


def filled(folder: Path, tasks_per_shard: int = 3) -> SweepStore:
    store = created(folder, tasks_per_shard)
    store.fill(FakeSimulator())
    return store


@given(st.integers(0, 5), st.integers(0, 19), st.integers(0, 2**32))
def test_packing_keeps_every_status(tasks: int, actions: int, seed: int) -> None:
    statuses = np.random.default_rng(seed).integers(-1, 2, (tasks, actions)).astype(np.int8)
    packed = pack_statuses(statuses)
    assert packed.shape == (tasks, (actions + 3) // 4), "2 bits each, in whole bytes"
    unpacked = unpack_statuses(packed, actions)
    assert unpacked.dtype == np.int8
    np.testing.assert_array_equal(unpacked, statuses)


@pytest.mark.parametrize("tasks_per_shard", [1, 3, 10, 99])
@pytest.mark.parametrize("at_once", [1, 2, 99])
def test_what_was_swept_is_read_again(tasks_per_shard: int, at_once: int, tmp_path: Path) -> None:
    store = created(tmp_path / "deep" / "folder", tasks_per_shard)
    assert store.missing() == IDS
    store.fill(FakeSimulator(), at_once=at_once)
    read = sweeps.open_store(tmp_path / "deep" / "folder")
    assert read.complete
    assert read.verify() == []
    assert read.task_ids == tuple(IDS)
    np.testing.assert_array_equal(read.actions, ACTIONS)
    assert read.statuses().dtype == np.int8
    np.testing.assert_array_equal(read.statuses(), statuses_of(IDS))


def test_statuses_come_in_the_order_of_the_arguments(tmp_path: Path) -> None:
    store = filled(tmp_path)
    rows, columns = [7, 0, 8, 7], [29, 3, 3, 0]
    ids = [IDS[row] for row in rows]
    np.testing.assert_array_equal(store.statuses(ids), statuses_of(ids))
    np.testing.assert_array_equal(store.statuses(actions=columns), statuses_of(IDS)[:, columns])
    np.testing.assert_array_equal(store.statuses(ids, columns), statuses_of(ids)[:, columns])
    assert store.statuses([], []).shape == (0, 0)


def test_counts_of_each_status(tmp_path: Path) -> None:
    expected = [[np.sum(row == status) for status in (-1, 0, 1)] for row in statuses_of(IDS)]
    np.testing.assert_array_equal(filled(tmp_path).counts(), expected)


def test_a_shard_has_about_a_hundred_thousand_statuses(tmp_path: Path) -> None:
    many = np.zeros((30_000, 3))
    assert sweeps.create_store(tmp_path / "some", TASKS, "B", many).contents.tasks_per_shard == 3
    assert sweeps.create_store(tmp_path / "many", TASKS, "B", np.zeros((200_000, 3))).contents.tasks_per_shard == 1


def test_each_finished_status_is_reported_once(tmp_path: Path) -> None:
    reported: list[int] = []
    created(tmp_path).fill(FakeSimulator(), progress=reported.append, at_once=2)
    assert sum(reported) == len(TASKS) * len(ACTIONS)


def test_shards_at_once_share_a_call(tmp_path: Path) -> None:
    simulator = FakeSimulator()
    created(tmp_path).fill(simulator, at_once=3)
    assert simulator.calls == [IDS[:9], IDS[9:]]


def test_actions_laid_out_by_columns_are_the_same_actions(tmp_path: Path) -> None:
    store = sweeps.create_store(tmp_path, TASKS, "B", np.asfortranarray(ACTIONS))
    np.testing.assert_array_equal(store.actions, ACTIONS)
    np.testing.assert_array_equal(np.load(tmp_path / "actions.npy"), ACTIONS)
    created(tmp_path)


def test_a_failed_sweep_is_resumed_where_it_stopped(tmp_path: Path) -> None:
    def fail_at_fifth(task_ids: Sequence[str]) -> None:
        if IDS[5] in task_ids:
            raise RuntimeError("out of memory")

    store = created(tmp_path, tasks_per_shard=2)
    with pytest.raises(RuntimeError, match="out of memory"):
        store.fill(FakeSimulator(before=fail_at_fifth))
    assert store.missing() == IDS[4:]
    assert not store.complete
    np.testing.assert_array_equal(store.statuses(IDS[:4]), statuses_of(IDS[:4]))
    with pytest.raises(StoreError, match="tasks 90000:004 to 90000:005 have not been swept yet; resume with fill"):
        store.statuses()
    simulator = FakeSimulator()
    created(tmp_path).fill(simulator)
    assert simulator.calls == [IDS[4:6], IDS[6:8], IDS[8:]]
    np.testing.assert_array_equal(store.statuses(), statuses_of(IDS))


def test_shards_that_another_process_has_written_are_not_swept(tmp_path: Path) -> None:
    store = created(tmp_path)
    simulator = FakeSimulator(before=lambda _: filled(tmp_path) and None)
    store.fill(simulator)
    assert simulator.calls == [IDS[:3]]


def flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-1] ^= 4
    file.write_bytes(content)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "a flipped bit": flip,
    "a lost end": lambda file: file.write_bytes(file.read_bytes()[:-1]),
    "a longer end": lambda file: file.write_bytes(file.read_bytes() + b"\0"),
    "nothing left": lambda file: file.write_bytes(b""),
    "another shard's rows": lambda file: file.write_bytes((file.parent / "shard-00002.bin").read_bytes()),
    "deleted": Path.unlink,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_shard_is_named_rejected_and_swept_again(damage: Callable[[Path], object], tmp_path: Path) -> None:
    store = filled(tmp_path)
    damage(tmp_path / "shard-00001.bin")
    (problem,) = store.verify()
    assert re.search(r"shard-00001\.bin: (damaged|missing)", problem)
    with pytest.raises(StoreError, match="shard-00001"):
        store.statuses([IDS[4]])
    with pytest.raises(StoreError, match="shard-00001"):
        store.counts()
    np.testing.assert_array_equal(store.statuses(IDS[:3]), statuses_of(IDS[:3]))
    simulator = FakeSimulator()
    store.fill(simulator)
    assert simulator.calls == [IDS[3:6]]
    assert store.verify() == []


def test_every_flipped_bit_of_a_shard_is_found(tmp_path: Path) -> None:
    store = filled(tmp_path, tasks_per_shard=1)
    file = tmp_path / "shard-00000.bin"
    good = file.read_bytes()
    for bit in range(8 * len(good)):
        bad = bytearray(good)
        bad[bit // 8] ^= 1 << bit % 8
        file.write_bytes(bad)
        assert len(store.verify()) == 1


def test_a_shard_of_another_store_is_rejected(tmp_path: Path) -> None:
    store = filled(tmp_path / "here")
    sweeps.create_store(tmp_path / "there", TASKS, "B", ACTIONS[::-1], tasks_per_shard=3)
    (tmp_path / "here" / "shard-00000.bin").rename(tmp_path / "there" / "shard-00000.bin")
    with pytest.raises(StoreError, match="damaged, or of another store"):
        sweeps.open_store(tmp_path / "there").statuses(IDS[:1])
    assert store.missing() == IDS[:3]


def test_other_physics_are_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(tmp_path)
    monkeypatch.setattr(constants, "PHYSICS_VERSION", constants.PHYSICS_VERSION + 1)
    for attempt in (lambda: sweeps.open_store(tmp_path), lambda: created(tmp_path)):
        with pytest.raises(StoreError, match=r"physics tumble-2d-\d+, and this is tumble-2d-\d+.*another folder"):
            attempt()


def changed(name: str, value: object) -> Callable[[str], str]:
    return lambda text: json.dumps({**json.loads(text), name: value})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:50], "store.json: damaged: this is not JSON"),
        (lambda _: "", "store.json: damaged: this is not JSON"),
        (lambda _: "[" * 100_000, "store.json: damaged: this is not JSON"),
        (lambda _: "[]", "not the description of a sweep store"),
        (changed("format", "something"), "not the description of a sweep store"),
        (changed("version", 2), "format version 2 is unknown: this Tumble reads version 1"),
        (changed("physics", "tumble-2d-99"), "its fields do not match its seal"),
        (changed("tasks", IDS[::-1]), "its fields do not match its seal"),
        (changed("colour", "red"), "fields are missing or unknown"),
    ],
)
def test_a_damaged_description_is_rejected(change: Callable[[str], str], message: str, tmp_path: Path) -> None:
    filled(tmp_path)
    file = tmp_path / "store.json"
    file.write_text(change(file.read_text()))
    with pytest.raises(StoreError, match=message):
        sweeps.open_store(tmp_path)


@pytest.mark.parametrize("damage", [DAMAGE["a flipped bit"], DAMAGE["a lost end"], DAMAGE["deleted"]])
def test_damaged_actions_are_rejected_and_can_be_restored(damage: Callable[[Path], object], tmp_path: Path) -> None:
    filled(tmp_path)
    damage(tmp_path / "actions.npy")
    with pytest.raises(StoreError, match=r"actions\.npy: missing or damaged; delete store\.json and create"):
        sweeps.open_store(tmp_path)
    (tmp_path / "store.json").unlink()
    assert created(tmp_path).verify() == []


def test_folders_without_a_store_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in ("nowhere", "file", "."):
        with pytest.raises(StoreError, match=r"no sweep store here: there is no store\.json"):
            sweeps.open_store(tmp_path / place)
    with pytest.raises(StoreError, match="is a file; a store needs a folder"):
        created(tmp_path / "file")


def test_another_sweep_in_the_same_folder_is_rejected(tmp_path: Path) -> None:
    created(tmp_path)
    with pytest.raises(StoreError, match="another sweep, differing in the actions; use another folder"):
        sweeps.create_store(tmp_path, TASKS, "B", ACTIONS[:-1])
    with pytest.raises(StoreError, match="differing in the scenes or goals of the tasks; use"):
        sweeps.create_store(tmp_path, [*TASKS[:-1], two_balls(9, x=51.0)], "B", ACTIONS)
    with pytest.raises(StoreError, match="differing in the ids or the order of the tasks"):
        sweeps.create_store(tmp_path, TASKS[::-1], "B", ACTIONS)
    assert sweeps.create_store(tmp_path, TASKS, "B", ACTIONS).contents.tasks_per_shard == 3, "as it was made"


@pytest.mark.parametrize(
    ("tasks", "tier", "actions", "per_shard", "message"),
    [
        (TASKS, "C", ACTIONS, 1, "no tier 'C'; there are B, 2B"),
        ([two_balls(0, tier="2B")], "B", ACTIONS, 1, "task 90000:000 is of tier 2B, not B"),
        (TASKS[:1] * 2, "B", ACTIONS, 1, "two tasks have the same id"),
        ([], "B", ACTIONS, 1, "at least one task"),
        (TASKS, "B", ACTIONS[:0], 1, "at least one task, one action"),
        (TASKS, "B", ACTIONS, 0, "one task per shard"),
        (TASKS, "B", ACTIONS[:, :2], 1, r"shape \[n, 3\]"),
        (TASKS, "B", ACTIONS + 1.0, 1, "action 0 leaves the unit cube"),
    ],
)
def test_impossible_sweeps_are_rejected(
    tasks: list[phyre.Task], tier: str, actions: np.ndarray, per_shard: int, message: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=message):
        sweeps.create_store(tmp_path / "store", tasks, tier, actions, per_shard)
    assert not (tmp_path / "store").exists()


def test_unknown_tasks_and_actions_are_rejected(tmp_path: Path) -> None:
    store = filled(tmp_path)
    with pytest.raises(StoreError, match="no task '00000:000' in this store"):
        store.statuses(["00000:000"])
    for columns in ([30], [-1], [0.5], [[0]], [True], 3):
        with pytest.raises(StoreError, match="whole numbers from 0 to 29"):
            store.statuses(actions=columns)


def test_a_simulator_of_other_tasks_is_rejected(tmp_path: Path) -> None:
    store = created(tmp_path)
    with pytest.raises(StoreError, match="does not have task 90000:009"):
        store.fill(FakeSimulator(TASKS[:-1]))
    with pytest.raises(StoreError, match="same ids but other scenes or goals"):
        store.fill(FakeSimulator([two_balls(number, x=60.0) for number in range(10)]))
    store.fill(FakeSimulator([two_balls(77), *TASKS[::-1]]))
    np.testing.assert_array_equal(store.statuses(), statuses_of(IDS))


@pytest.mark.parametrize(
    ("statuses", "message"),
    [
        (np.zeros((3, 29), np.int8), r"shape \[3, 29\], not \[3, 30\]"),
        (np.zeros(90, np.int8), r"shape \[90\], not \[3, 30\]"),
        (np.eye(3, 30, dtype=np.int8) * 2, r"a status is -1, 0 or 1, not 2 \(row 0, action 0\)"),
        (np.full((3, 30), np.nan), "a status is -1, 0 or 1, not nan"),
    ],
)
def test_wrong_statuses_are_not_written(
    statuses: np.ndarray, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = created(tmp_path)
    monkeypatch.setattr(FakeSimulator, "sweep", lambda *_, **__: statuses)
    with pytest.raises(StoreError, match=message):
        store.fill(FakeSimulator())
    assert store.missing() == IDS
    with pytest.raises(StoreError, match="at_once must be 1 or more, not 0"):
        store.fill(FakeSimulator(), at_once=0)


def test_old_temporary_files_are_removed_and_nothing_else(tmp_path: Path) -> None:
    store = created(tmp_path)
    names = [f".{'0' * 32}.bin", f".{'1' * 32}.npy", ".notes", "notes.bin", f".{'2' * 32}.bin"]
    for name in names:
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / names[-1]).touch()  # may belong to a running process
    store.fill(FakeSimulator())
    assert [name for name in names if (tmp_path / name).exists()] == names[2:]


MANY = [two_balls(number) for number in range(200)]
MANY_IDS = [task.id for task in MANY]


def child(folder: Path, *options: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, __file__, str(folder), *options])


def fill_slowly(folder: Path, die_at: int = -1) -> None:
    """Run by a child process: fills a store, 10 ms per shard, and records what it sweeps; or dies at a renaming."""
    rename, renamings = Path.replace, iter(range(10**9))

    def rename_or_die(self: Path, target: Path) -> Path:
        if next(renamings) == die_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return rename(self, target)

    def record(task_ids: Sequence[str]) -> None:
        with (folder / "swept.txt").open("a") as stream:
            stream.write("".join(f"{task_id}\n" for task_id in task_ids))
        time.sleep(0.01)

    Path.replace = rename_or_die  # type: ignore[method-assign]
    sweeps.create_store(folder, MANY, "B", ACTIONS, tasks_per_shard=2).fill(FakeSimulator(MANY, record))


def resumed(folder: Path) -> list[str]:
    """Completes a store and checks it; returns the ids of the tasks that had to be swept."""
    store = sweeps.create_store(folder, MANY, "B", ACTIONS, tasks_per_shard=2)
    simulator = FakeSimulator(MANY)
    store.fill(simulator)
    assert store.verify() == []
    np.testing.assert_array_equal(store.statuses(), statuses_of(MANY_IDS))
    return [task_id for call in simulator.calls for task_id in call]


def swept_ids(folder: Path) -> list[str]:
    file = folder / "swept.txt"
    return file.read_text().splitlines() if file.exists() else []


@pytest.mark.slow
def test_a_killed_sweep_loses_only_the_current_shard(tmp_path: Path) -> None:
    missing = MANY_IDS
    for delay in np.random.default_rng(time.time_ns()).uniform(0.0, 0.3, 3):
        before = len(swept_ids(tmp_path))
        process = child(tmp_path)
        while len(swept_ids(tmp_path)) == before and process.poll() is None:
            time.sleep(0.001)
        time.sleep(delay)
        process.kill()
        process.wait()
        swept = swept_ids(tmp_path)[before:]
        assert swept == missing[: len(swept)], "what was written before is not swept again"
        store = sweeps.open_store(tmp_path)
        assert all("missing" in problem for problem in store.verify()), "what exists is complete"
        assert store.missing() in (missing[len(swept) - 2 :], missing[len(swept) :]), "at most one shard is lost"
        missing = store.missing()
    assert resumed(tmp_path) == missing


@pytest.mark.parametrize(
    ("renaming", "written"), [*(pytest.param(n, 0, marks=pytest.mark.slow) for n in (0, 1)), (2, 0), (5, 6)]
)
def test_a_sweep_killed_while_it_writes(renaming: int, written: int, tmp_path: Path) -> None:
    """The first renamings are those of the actions, the description and the first shard."""
    assert child(tmp_path, str(renaming)).wait() == -signal.SIGKILL
    (leftover,) = tmp_path.glob(".*")
    os.utime(leftover, (0, 0))
    assert resumed(tmp_path) == MANY_IDS[written:]
    assert list(tmp_path.glob(".*")) == []


def test_processes_may_fill_a_store_together(tmp_path: Path) -> None:
    processes = [child(tmp_path) for _ in range(2)]
    assert [process.wait() for process in processes] == [0, 0]
    assert resumed(tmp_path) == []


def test_a_store_holds_what_the_simulator_says(tmp_path: Path) -> None:
    tasks = [phyre.task("00000:000"), phyre.task("00010:003")]
    actions = phyre.actions.fixed_set(phyre.TIERS["B"], 101)
    simulator = phyre.Simulator(tasks, "B")
    store = sweeps.create_store(tmp_path, tasks, "B", actions, tasks_per_shard=1)
    store.fill(simulator, at_once=2)
    np.testing.assert_array_equal(store.statuses(), simulator.sweep(actions))
    assert set(np.unique(store.statuses())) == {-1, 0, 1}


if __name__ == "__main__":
    fill_slowly(Path(sys.argv[1]), *(int(renaming) for renaming in sys.argv[2:]))
