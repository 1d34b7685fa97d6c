"""The assignment against all permutations."""

from itertools import permutations

import numpy as np
import pytest

from tumble.comphy.models.perceiver.tracking import assign


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 3), (2, 5), (5, 2), (5, 5), (4, 6)])
def test_the_assignment_is_the_cheapest(rows: int, columns: int) -> None:
    draws = np.random.default_rng(rows * 10 + columns)
    for _ in range(20):
        costs = draws.normal(size=(rows, columns)).round(1)
        pairs = assign(costs)
        assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == min(rows, columns)
        wide = costs if rows <= columns else costs.T
        least = min(sum(wide[k, c] for k, c in enumerate(p)) for p in permutations(range(wide.shape[1]), len(wide)))
        assert sum(costs[pair] for pair in pairs) == pytest.approx(least)
