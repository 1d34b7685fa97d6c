"""Tasks by the names of scenarios, templates, tasks and ranges."""

import pytest

from tumble.phyq.catalogue.tasks import named_tasks, splits_of
from tumble.phyq.catalogue.template import TemplateError


def test_names_of_all_kinds() -> None:
    assert named_tasks(["6.4:017", "6.4:009-011", "6.4:010"]) == ["6.4:017", "6.4:009", "6.4:010", "6.4:011"]
    assert named_tasks(["6.4:80-81"]) == ["6.4:080", "6.4:081"]
    assert len(named_tasks(["14"])) == 200
    assert len(named_tasks(["6.4", "6.4:000-099"])) == 100


def test_a_range_selects_test_tasks_of_a_setting() -> None:
    (split,) = splits_of("broad", ["3.6:078-082"])
    assert split.test == ["3.6:080", "3.6:081", "3.6:082"]


@pytest.mark.parametrize("name", ["6.4:3-", "6.4:-3", "6.4:5-3", "6.4:1-2-3", "6.4:a-b"])
def test_wrong_ranges(name: str) -> None:
    with pytest.raises(TemplateError, match="is not a range of tasks, as in"):
        named_tasks([name])


def test_ranges_of_unknown_templates() -> None:
    with pytest.raises(TemplateError, match=r"no template '6\.9'"):
        named_tasks(["6.9:000-003"])
