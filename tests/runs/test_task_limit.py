"""A limit spreads tasks over their groups."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tumble.phyre.catalogue.tasks_by_id import template_of
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.runs.spec import spread_over_groups


@given(st.lists(st.sampled_from("abcde")), st.integers(1, 40))
def test_groups_are_covered_as_evenly_as_they_can_be(groups: list[str], limit: int) -> None:
    items = list(enumerate(groups))
    chosen = spread_over_groups(items, limit, lambda item: item[1])
    assert len(chosen) == min(limit, len(items))
    assert chosen == sorted(chosen), "the order is kept"
    counts, available = Counter(group for _, group in chosen), Counter(groups)
    assert len(counts) == min(limit, len(available))
    unused = [counts[group] for group in available if counts[group] < available[group]]
    assert not unused or max(counts.values()) <= min(unused) + 1
    for group in counts:
        of_group = [item for item in items if item[1] == group]
        assert [item for item in chosen if item[1] == group] == of_group[: counts[group]], "the first ones of a group"


def test_without_a_limit_all_are_taken() -> None:
    assert spread_over_groups(["b", "a", "b"], None, str) == ["b", "a", "b"]


@pytest.mark.parametrize(("limit", "templates"), [(1, 1), (10, 10), (25, 25), (60, 25)])
def test_a_limited_run_covers_the_templates(limit: int, templates: int) -> None:
    ids = PhyreRunSpec("rand", "ball_within_template", limit=limit).task_ids()
    assert len(ids) == limit
    assert len({template_of(task_id) for task_id in ids}) == templates


def test_only_the_names_of_limited_runs_depend_on_the_selection() -> None:
    whole = PhyreRunSpec("rand", "ball_within_template")
    assert "limited_tasks_sha256" not in whole.identity()
    assert whole.file_name() == "phyre-rand-ball_within_template-0-8aaebb2e.jsonl"
    assert "limited_tasks_sha256" in PhyreRunSpec("rand", "ball_within_template", limit=3).identity()
