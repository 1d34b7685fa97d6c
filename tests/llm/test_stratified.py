"""Limits are spread over templates, and standard errors are clustered by them."""

import math
import random
import statistics
from collections import Counter
from collections.abc import Mapping

import pytest

from tumble.llm.puzzle import stratified_order
from tumble.report.estimates import clustered_errors
from tumble.runs.spec import spread_over_groups

IDS = [f"{template}:{number}" for template, count in (("a", 7), ("b", 2), ("c", 5)) for number in range(count)]


def template_of(task_id: str) -> str:
    return task_id[0]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_any_number_of_the_first_is_spread_over_templates(seed: int) -> None:
    order = stratified_order(IDS, template_of, seed)
    assert sorted(order) == sorted(IDS)
    sizes = Counter(map(template_of, IDS))
    for limit in range(len(IDS) + 1):
        counts = Counter(map(template_of, order[:limit]))
        unfinished = [counts[template] for template in sizes if counts[template] < sizes[template]]
        assert not unfinished or max(counts.values(), default=0) - min(unfinished) <= 1


def test_seeds_draw_other_tasks_and_the_same_seed_the_same() -> None:
    firsts = [tuple(stratified_order(IDS, template_of, seed)[:6]) for seed in range(5)]
    assert len(set(firsts)) == 5
    assert firsts[3] == tuple(stratified_order(IDS, template_of, 3)[:6])


@pytest.mark.parametrize("limit", [1, 4, 9, 14])
def test_seed_0_takes_the_tasks_that_other_agents_get_for_a_limit(limit: int) -> None:
    assert sorted(stratified_order(IDS, template_of)[:limit]) == sorted(spread_over_groups(IDS, limit, template_of))


def means(tasks: Mapping[str, float]) -> dict[str, float]:
    return {"mean": math.fsum(tasks.values()) / len(tasks)}


def test_the_error_of_a_mean_is_that_of_the_means_of_templates() -> None:
    rng = random.Random(1)
    tasks = {f"{template}:{number}": rng.random() for template in "abcde" for number in range(4)}
    own = [statistics.fmean(value for task, value in tasks.items() if task[0] == template) for template in "abcde"]
    expected = statistics.stdev(own) / math.sqrt(5)
    templates = {task: task[0] for task in tasks}
    assert clustered_errors(tasks, templates, means)["mean"] == pytest.approx(expected, rel=1e-12)


def test_tasks_of_a_template_that_are_alike_count_once() -> None:
    tasks = {f"{template}:{number}": float(template in "ab") for template in "abcd" for number in range(50)}
    alike = clustered_errors(tasks, {task: task[0] for task in tasks}, means)["mean"]
    single = clustered_errors(tasks, {task: task for task in tasks}, means)["mean"]
    assert alike == pytest.approx(math.sqrt(1 / 3) / 2)  # four draws of 0 and 1
    assert single < alike / 5


def test_one_template_has_no_error() -> None:
    assert clustered_errors({"a:1": 1.0, "a:2": 0.0}, {"a:1": "a", "a:2": "a"}, means) == {}
