"""Which actions solve each task, as a small file from which a sweep store is restored."""

import json
import lzma
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from command_line import refusal
from tumble.phyre.catalogue.tasks_by_id import published_tasks
from tumble.phyre.simulation.actions import fixed_set
from tumble.phyre.simulation.shipped_sweeps import read_solved, restore_store, shipped_store, solved_file, write_solved
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.sweep_files import StoreError, create_store


def swept(folder: Path, tasks: int, actions: int = 40) -> Path:
    """A store of the first tasks of B alone, and a file of what solves them."""
    known = list(published_tasks("B").values())
    store = create_store(folder / "store", known, "B", fixed_set("B", actions), tasks_per_shard=25)
    for shard in range(tasks // 25):
        own = [known[number] for number in range(25 * shard, 25 * shard + 25)]
        store.write_shard(
            shard, store.packed_rows(shipped_store("B").statuses([t.id for t in own], range(actions)), 25)
        )
    write_solved(folder / "few.solved", store)
    return folder / "few.solved"


def test_a_store_is_restored_to_the_last_bit_as_far_as_it_was_swept(tmp_path: Path) -> None:
    path = swept(tmp_path, 50)
    restored = restore_store(path, tmp_path / "again")
    done = [task_id for task_id in restored.task_ids if task_id not in set(restored.missing())]
    assert done == list(restored.task_ids[:50])
    expected = shipped_store("B").statuses(done, range(40))
    assert np.array_equal(restored.statuses(done), expected)
    assert (expected == 0).any(), "some of the actions are invalid"


def test_what_comes_with_the_package_agrees_with_the_sweep_of_1000_actions() -> None:
    for tier, least in (("B", 2500), ("2B", 1200)):
        known, actions, solving = read_solved(solved_file(tier))
        assert (known, actions, len(solving)) == (tier, 100_000, least)
        statuses = shipped_store(tier).statuses()
        for row in range(0, least, 97):
            assert np.array_equal(np.flatnonzero(statuses[row] == 1), solving[row][solving[row] < 1000])


def test_actions_beyond_the_first_1000_solve_when_they_are_simulated() -> None:
    tasks, actions = list(published_tasks("B").values()), fixed_set("B", 100_000)
    _, _, solving = read_solved(solved_file("B"))
    rows = [7, 812, 2044]
    chosen = [solving[row][solving[row] >= 1000][:4] for row in rows]
    ids = [tasks[row].id for row, own in zip(rows, chosen, strict=True) for _ in own]
    simulator = Simulator([tasks[row] for row in rows], "B")
    assert (simulator.pairs(ids, actions[np.concatenate(chosen)]) == 1).all()


def damaged(path: Path, change: dict[str, object], packed: bytes | None = None) -> None:
    first, _, content = path.read_bytes().partition(b"\n")
    content = content if packed is None else packed
    header = {**json.loads(first), "sha256": sha256(content).hexdigest(), **change}
    path.write_bytes(json.dumps(header).encode() + b"\n" + content)


@pytest.mark.parametrize(
    ("change", "packed", "why"),
    [
        ({"format": "other"}, None, "no header of this format"),
        ({"sha256": "0" * 64}, None, "differs from its digest"),
        ({"physics": "tumble-2d-0"}, None, "made with physics tumble-2d-0"),
        ({"tasks_sha256": "0" * 64}, None, "made for other tasks"),
        ({"tasks": 2501}, None, "tasks must be 1 to 2500"),
        ({"actions": 0}, None, "actions must be 1 to"),
        ({"actions": 3}, None, "names more than 3 actions"),
        ({}, b"\xfd7zXZ\0 no lzma", "not the solving actions of a sweep"),
        ({}, lzma.compress(bytes(8)), "its counts do not fit its content"),
        ({}, lzma.compress(bytes(1 << 28)), "not the solving actions of a sweep .it unpacks to more than"),
    ],
)
def test_damaged_files_are_refused_by_name(
    tmp_path: Path, change: dict[str, object], packed: bytes | None, why: str
) -> None:
    path = swept(tmp_path, 25)
    damaged(path, change, packed)
    with pytest.raises(StoreError, match=why) as error:
        read_solved(path)
    assert str(path) in str(error.value)


def test_a_store_that_begins_in_the_middle_or_has_other_actions_is_not_written(tmp_path: Path) -> None:
    known = list(published_tasks("B").values())
    empty = create_store(tmp_path / "empty", known, "B", fixed_set("B", 40), tasks_per_shard=25)
    with pytest.raises(StoreError, match="its first task was not swept yet"):
        write_solved(tmp_path / "x", empty)
    other = create_store(tmp_path / "other", known, "B", fixed_set("B", 40, seed=1), tasks_per_shard=25)
    with pytest.raises(StoreError, match="not the first 40 of the tier's fixed set"):
        write_solved(tmp_path / "x", other)


def test_the_command_refuses_shipped_outcomes_of_other_actions(tmp_path: Path) -> None:
    answer = refusal("phyre", "sweep", tmp_path / "B", "--actions", 50, "--shipped")
    assert answer == "--shipped needs all tasks of a tier, --actions 100000 and seed 0"
