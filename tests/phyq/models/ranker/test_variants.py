"""Variants of levels."""

import numpy as np
import pytest

from tumble.phyq.catalogue.level import bounding_box, outline
from tumble.phyq.catalogue.tasks import cached_task
from tumble.phyq.catalogue.template import is_valid
from tumble.phyq.models.ranker.make_data import level_variant, mirrored_level


def boxes(level) -> np.ndarray:
    return np.array([bounding_box(outline(piece)) for piece in level.pieces])


@pytest.mark.parametrize("task_id", ["3.1:002", "10.1:000"])
def test_a_mirrored_level_has_mirrored_outlines(task_id: str) -> None:
    level = cached_task(task_id).level
    before, after = boxes(level), boxes(mirrored_level(level))
    np.testing.assert_allclose(after[:, [1, 3]], before[:, [1, 3]], atol=0.02)
    sums = after[:, 0] + before[:, 2]
    np.testing.assert_allclose(sums, sums[0], atol=0.03)


def test_variants_are_valid_and_differ() -> None:
    level = cached_task("7.1:000").level
    made = [level_variant(level, np.random.default_rng(seed)) for seed in (0, 0, 1)]
    assert all(one is not None and is_valid(one) for one in made)
    assert made[0] == made[1] != made[2]
