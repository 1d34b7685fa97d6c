"""Metrics follow the paper's formulas."""

from itertools import product
from math import log

import numpy as np
import pytest

from tumble import phyre
from tumble.errors import TumbleError
from tumble.phyre.evaluation.metrics import attempt_weights


def test_auccess_of_the_best_and_the_worst_agent() -> None:
    assert phyre.auccess([1, 1, 1]) == pytest.approx(1.0)
    assert phyre.auccess([None, None]) == 0.0
    assert phyre.auccess([101]) == 0.0, "only 100 attempts count"


def test_auccess_of_one_task_falls_with_the_logarithm_of_the_attempt() -> None:
    """The weights from k on add up to log(101 / k), of log(101) in all."""
    for at in (1, 2, 10, 50, 100):
        assert phyre.auccess([at]) == pytest.approx(log(101 / at) / log(101))


def test_the_first_ten_attempts_have_about_half_of_the_weight() -> None:
    assert attempt_weights()[:10].sum() == pytest.approx(0.5, abs=0.03)  # the paper says about 0.5


def test_auccess_is_the_mean_over_tasks() -> None:
    assert phyre.auccess([1, 7, None]) == pytest.approx(np.mean([phyre.auccess([a]) for a in (1, 7, None)]))


def test_success_curve_is_cumulative() -> None:
    np.testing.assert_allclose(phyre.success_curve([1, 3, 3, None], 4), [0.25, 0.25, 0.75, 0.75])
    assert phyre.success_at([1, 3, 3, None], 2) == 0.25


def test_no_tasks_and_attempts_before_the_first_are_refused() -> None:
    with pytest.raises(ValueError, match="no tasks"):
        phyre.auccess([])
    for wrong in (0, -1, 1.5, float("nan"), True, "1"):
        with pytest.raises(TumbleError, match=r"solved_at\[1\] must be a whole number, 1 or more, not "):
            phyre.auccess([1, wrong])  # type: ignore[list-item]
    for attempts in (0, -1, 2.5, None):
        with pytest.raises(TumbleError, match="attempts must be a whole number, 1 or more"):
            phyre.success_at([1], attempts)  # type: ignore[arg-type]


def test_wilcoxon_counts_sign_patterns() -> None:
    """The p-value is the share of all sign patterns of the differences with the observed rank sum or a larger one."""
    worse = np.zeros(6)
    for better in ([1, 2, 3, 4, 5, 6], [-1, 2, 3, -4, 5, 6], [2, 2, -2, 3, 3, 5]):
        sizes = np.abs(better)
        ranks = np.array([(sizes < s).sum() + ((sizes == s).sum() + 1) / 2 for s in sizes])
        observed = ranks[np.array(better) > 0].sum()
        patterns = [ranks[np.array(signs)].sum() >= observed for signs in product((False, True), repeat=6)]
        assert phyre.wilcoxon_p(better, worse) == pytest.approx(np.mean(patterns))


def test_wilcoxon_at_its_extremes() -> None:
    assert phyre.wilcoxon_p(range(1, 11), [0] * 10) == pytest.approx(2.0**-10), "ten folds, all better"
    assert phyre.wilcoxon_p([0] * 10, range(1, 11)) == 1.0
    assert phyre.wilcoxon_p([3, 3], [3, 3]) == 1.0, "no difference at all"


def test_wilcoxon_refuses_scores_that_do_not_pair() -> None:
    with pytest.raises(TumbleError, match="3 scores do not pair with 1"):
        phyre.wilcoxon_p([1.0, 2.0, 3.0], [1.0])
    with pytest.raises(TumbleError, match="worse must be a list of finite numbers"):
        phyre.wilcoxon_p([1.0, 2.0], [1.0, float("nan")])
    with pytest.raises(TumbleError, match="better must be a list of finite numbers"):
        phyre.wilcoxon_p([[1.0, 2.0]], [1.0])  # type: ignore[list-item]
