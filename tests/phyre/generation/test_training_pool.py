"""Training pools: what is kept, and that a fold reads what was simulated."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tumble import phyre
from tumble.phyre.catalogue.task import TaskError
from tumble.phyre.catalogue.tasks_by_id import published_tasks
from tumble.phyre.generation import dense_pool, training_pool
from tumble.phyre.generation.training_pool import Counts, TrainingPool
from tumble.phyre.generation.variations import MUTATION_MARK, TriedActions
from tumble.phyre.simulation.dense_outcomes import LEVELS, MISSING, NAMES
from tumble.phyre.simulation.status import INVALID, SOLVED

IDS = ("00003:000", "00009:010")


@pytest.fixture(scope="module")
def tasks() -> list[phyre.Task]:
    return [phyre.task(task_id) for task_id in IDS]


@pytest.fixture(scope="module")
def pool(tasks: list[phyre.Task]) -> TrainingPool:
    return training_pool.make(tasks, phyre.Simulator(tasks), Counts((200, 30, 20), (100, 20, 30), drawn=12, kept=3))


def equal(one: TriedActions, other: TriedActions) -> bool:
    arrays = ("random", "variations", "varied")
    same = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)
    return one.tasks == other.tasks and same


def test_variations_solve_more_often_than_random_actions(pool: TrainingPool) -> None:
    for tried in (pool.of_tasks, pool.of_mutations):
        assert len(tried.tasks)
        assert (tried.varied == SOLVED).mean() > 3 * (tried.random == SOLVED).mean()
        assert (tried.varied == SOLVED).any(axis=1).all()


def test_a_pool_may_have_no_mutations(tasks: list[phyre.Task], tmp_path: Path) -> None:
    without = training_pool.make(tasks[:1], phyre.Simulator(tasks[:1]), Counts((50, 5), (5, 5), drawn=0, kept=0))
    without.save(tmp_path / "pool.npz")
    loaded = training_pool.load(tmp_path / "pool.npz", tasks[:1], 0)
    assert equal(loaded.of_tasks, without.of_tasks)
    assert not loaded.of_mutations.tasks


def test_mutations_are_solvable_but_not_easy(pool: TrainingPool) -> None:
    tried = pool.of_mutations
    share = (tried.random == SOLVED).sum(axis=1) / (tried.random != INVALID).sum(axis=1)
    assert share.max() <= training_pool.MAX_SHARE
    origins = [task.id.partition(MUTATION_MARK)[0] for task in tried.tasks]
    assert max(origins.count(task_id) for task_id in IDS) == pool.counts.kept


def test_labels_are_those_of_the_physics(pool: TrainingPool) -> None:
    for tried in (pool.of_tasks, pool.of_mutations):
        labelled = tried.labelled_variations()
        assert len(labelled.actions) == (tried.varied != INVALID).sum()
        statuses = phyre.Simulator(tried.tasks).pairs(labelled.task_ids.tolist(), labelled.actions)
        np.testing.assert_array_equal(statuses == SOLVED, labelled.solved)


def test_a_fold_reads_what_was_made(pool: TrainingPool, tasks: list[phyre.Task], tmp_path: Path) -> None:
    path = tmp_path / "pool.npz"
    pool.save(path)
    again = training_pool.load(path, tasks)
    assert equal(again.of_tasks, pool.of_tasks)
    assert equal(again.of_mutations, pool.of_mutations)
    second = training_pool.load(path, tasks[1:], 1)
    assert [task.id for task in second.of_tasks.tasks] == [IDS[1]]
    np.testing.assert_array_equal(second.of_tasks.variations[0], pool.of_tasks.variations[1])
    own = [row for row, task in enumerate(pool.of_mutations.tasks) if task.id.startswith(IDS[1])]
    assert second.of_mutations.tasks == [pool.of_mutations.tasks[row] for row in own[:1]]
    np.testing.assert_array_equal(second.of_mutations.variations, pool.of_mutations.variations[own[:1]])


def test_parts_give_the_pool_of_all_tasks(pool: TrainingPool, tasks: list[phyre.Task]) -> None:
    parts = [training_pool.make([task], phyre.Simulator([task]), pool.counts) for task in reversed(tasks)]
    whole = training_pool.joined(parts, tasks)
    assert equal(whole.of_tasks, pool.of_tasks)
    assert equal(whole.of_mutations, pool.of_mutations)
    without = training_pool.make(tasks[1:], phyre.Simulator(tasks[1:]), replace(pool.counts, drawn=0))
    assert not without.of_mutations.tasks
    some = training_pool.joined([replace(without, counts=pool.counts), parts[1]], tasks)
    assert equal(some.of_mutations, parts[1].of_mutations)
    with pytest.raises(TaskError, match=f"no pool has task {IDS[1]}"):
        training_pool.joined(parts[1:], tasks)
    with pytest.raises(TaskError, match="different counts"):
        training_pool.joined([replace(parts[0], counts=Counts()), parts[1]], tasks)


def test_what_was_tried_on_tasks_before_is_not_tried_again(pool: TrainingPool, tasks: list[phyre.Task]) -> None:
    stages: list[str] = []
    again = training_pool.make(tasks, phyre.Simulator(tasks), pool.counts, stages.append, pool.of_tasks)
    assert stages[0] == "12 mutations of each task"
    assert equal(again.of_mutations, pool.of_mutations)


def test_wrong_files_are_rejected(
    pool: TrainingPool, tasks: list[phyre.Task], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pool.npz"
    pool.save(path)

    def rejected(why: str, path: Path = path, tasks: list[phyre.Task] = tasks, count: int = 1) -> None:
        training_pool.read.cache_clear()
        with pytest.raises(TaskError, match=why):
            training_pool.load(path, tasks, count)

    rejected("no training pool, or a damaged one", tmp_path / "missing.npz")
    rejected("has up to 3 mutations of each task, not 4", count=4)
    rejected("was not made for task 00013:005", tasks=[*tasks, phyre.task("00013:005")])
    with monkeypatch.context() as patch:
        patch.setattr(training_pool, "FORMAT", 4)
        later = tmp_path / "later.npz"
        pool.save(later)
    rejected("is of format 4, and this version reads 1 and 3", later)
    with monkeypatch.context() as patch:
        patch.setattr(training_pool, "generator_digest", lambda: "another")
        rejected("this version of NumPy draws other actions")
    with monkeypatch.context() as patch:
        patch.setattr(training_pool, "physics_id", lambda: "another")
        rejected(r"made with physics .*, and this is another; make it again")
    path.write_bytes(path.read_bytes()[:300])
    rejected("no training pool, or a damaged one")


def test_mutations_that_are_too_easy_are_dropped(
    pool: TrainingPool, tasks: list[phyre.Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit is put below the share of the easiest mutations that were kept."""
    random = pool.of_mutations.random
    share = (random == SOLVED).sum(axis=1) / (random != INVALID).sum(axis=1)
    monkeypatch.setattr(training_pool, "MAX_SHARE", share.max() - 1e-9)
    again = training_pool.make(tasks, phyre.Simulator(tasks), pool.counts, of_tasks=pool.of_tasks)
    easy = {pool.of_mutations.tasks[row].id for row in np.flatnonzero(share == share.max())}
    assert easy
    assert not easy & {task.id for task in again.of_mutations.tasks}


def test_counts_with_are_those_of_the_package_but_for_two() -> None:
    assert training_pool.counts_with(1000, 4) == Counts()
    assert training_pool.counts_with(50, 0) == replace(Counts(), tasks=(50, 400, 400), drawn=0, kept=0)


@pytest.mark.parametrize("tier", ["B", "2B"])
def test_the_packages_mutations_can_be_made_again(tier: str) -> None:
    tasks = list(published_tasks(tier).values())[900:901]
    read = training_pool.load(training_pool.shipped(tier, 4), tasks)
    made = training_pool.make(tasks, phyre.Simulator(tasks, tier), Counts(), of_tasks=read.of_tasks)
    assert equal(made.of_mutations, read.of_mutations)
    assert len(read.of_mutations.tasks) == 3


@pytest.mark.parametrize(("tier", "mutated", "random"), [("B", 1, 1000), ("B", 0, 4000), ("2B", 1, 1000)])
def test_the_packages_pool_has_what_the_physics_gives(tier: str, mutated: int, random: int) -> None:
    tasks = list(published_tasks(tier).values())[::500]
    pool = training_pool.load(training_pool.shipped(tier, mutated), tasks, mutated)
    assert pool.of_tasks.random.shape == (len(tasks), random)
    assert bool(pool.of_mutations.tasks) == (mutated > 0)
    for tried in (pool.of_tasks, pool.of_mutations)[: 1 + mutated]:
        labelled = tried.labelled_variations()
        rows = np.random.default_rng(0).choice(len(labelled.actions), 100, replace=False)
        statuses = phyre.Simulator(tried.tasks, tier).pairs(labelled.task_ids[rows].tolist(), labelled.actions[rows])
        np.testing.assert_array_equal(statuses == SOLVED, labelled.solved[rows])
        assert 0 < labelled.solved[rows].sum() < 100


@pytest.mark.slow
def test_a_fold_reads_dense_outcomes_of_its_tasks(pool: TrainingPool, tasks: list[phyre.Task], tmp_path: Path) -> None:
    path, every = tmp_path / "pool.npz", 3
    pool.save(path)
    beside = dense_pool.dense_path(path)
    with pytest.raises(TaskError, match="no dense outcomes; make them"):
        dense_pool.load(beside, pool)
    made = dense_pool.make(pool, every=every)
    dense_pool.save(beside, pool, made, every)
    fold = training_pool.load(path, tasks[1:], 1)
    read = dense_pool.load(beside, fold)
    np.testing.assert_array_equal(read.of_tasks.varied, made.of_tasks.varied[1:])
    row = [task.id for task in pool.of_mutations.tasks].index(fold.of_mutations.tasks[0].id)
    np.testing.assert_array_equal(read.of_mutations.random[0], made.of_mutations.random[row])
    for tried, dense in ((pool.of_tasks, made.of_tasks), (pool.of_mutations, made.of_mutations)):
        for statuses, numbers in ((tried.random, dense.random), (tried.varied, dense.varied)):
            measured = numbers[..., NAMES.index("held")]
            np.testing.assert_array_equal(measured[:, ::every] != MISSING, statuses[:, ::every] != INVALID)
            np.testing.assert_array_equal(measured[:, ::every] == LEVELS, statuses[:, ::every] == SOLVED)
            assert (measured[:, 1::every] == MISSING).all()
    dense_pool.save(beside, fold, read, every)
    training_pool.read.cache_clear()
    with pytest.raises(TaskError, match="was not made for 00003:000"):
        dense_pool.load(beside, pool)
