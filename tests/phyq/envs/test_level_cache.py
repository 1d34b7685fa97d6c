"""Levels are kept from episode to episode, up to a limit that no result depends on."""

import numpy as np

from tumble.phyq.catalogue.tasks import cached_task, task_ids
from tumble.phyq.envs.episode_batch import EpisodeBatch
from tumble.phyq.envs.level_cache import LevelCache, PaddedRows, with_columns

TASKS = [cached_task(task_id) for task_id in task_ids()[::500]]


def test_levels_are_added_once_and_dropped_beyond_the_limit() -> None:
    cache = LevelCache(limit=6)
    assert cache.indices([TASKS[0], TASKS[1], TASKS[0]]).tolist() == [0, 1, 0]
    simulator = cache.simulator
    assert cache.indices([TASKS[2], TASKS[1]]).tolist() == [2, 1]
    assert (cache.simulator is simulator, len(cache)) == (True, 3)
    assert cache.indices(TASKS[2:7]).tolist() == [0, 1, 2, 3, 4], "only those in use are left"
    assert len(cache) == 5
    assert cache.indices(TASKS[:8]).tolist() == list(range(8)), "those in use may be more than the limit"


def test_no_result_depends_on_the_limit() -> None:
    rows = np.arange(3)
    batches = [EpisodeBatch(3, LevelCache(limit=n), "symbolic", "angles", True, "score") for n in (3, 1000)]
    rng = np.random.default_rng(0)
    for _ in range(5):
        tasks = [TASKS[k] for k in rng.integers(len(TASKS), size=3)]
        actions = rng.integers(90, 170, size=3)
        seen = []
        for batch in batches:
            batch.start(rows, tasks)
            first = batch.observe(rows)
            seen.append([first, *batch.shoot(rows, actions), batch.observe(rows), *batch.infos(rows).values()])
        for small, large in zip(*seen, strict=True):
            np.testing.assert_array_equal(small, large)


def test_padded_rows() -> None:
    rows = PaddedRows(-1, np.int32)
    for k in range(100):
        rows.append(np.arange(k % 4))
    assert rows.array.shape == (100, 3)
    assert rows.array[7].tolist() == [0, 1, 2]
    assert rows.array[97].tolist() == [0, -1, -1]
    assert rows.array[0].tolist() == [-1, -1, -1]
    assert with_columns(np.ones((2, 1)), 3, 0.0).tolist() == [[1, 0, 0], [1, 0, 0]]
    assert with_columns(np.ones((2, 3)), 2, 0.0).shape == (2, 3)
