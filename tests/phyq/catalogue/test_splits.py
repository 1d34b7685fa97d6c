"""The two settings of the paper."""

from pathlib import Path

import phyq_published
import pytest

from tumble.phyq.catalogue.tasks import broad, broad_templates, local
from tumble.phyq.catalogue.template import TemplateError
from tumble.phyq.catalogue.templates import SCENARIOS


def test_local_is_80_to_20() -> None:
    split = local("6.4")
    assert (split.train[0], split.train[-1], len(split.train)) == ("6.4:000", "6.4:079", 80)
    assert (split.test[0], split.test[-1], len(split.test)) == ("6.4:080", "6.4:099", 20)


def test_broad_trains_on_all_tasks_of_other_templates() -> None:
    split = broad(14)
    assert split.train == [f"14.1:{number:03d}" for number in range(100)]
    assert split.test == [f"14.2:{number:03d}" for number in range(80, 100)]


def test_broad_is_table_7(shared_data: Path) -> None:
    records = phyq_published.templates(shared_data)
    for scenario in SCENARIOS:
        training, testing = broad_templates(scenario)
        assert {records[key]["broad_split"] for key in training} == {"train"}
        assert {records[key]["broad_split"] for key in testing} == {"test"}
        assert training + testing == [key for key, record in records.items() if record["scenario"] == scenario]


def test_unknown_scenarios_and_templates_are_named() -> None:
    with pytest.raises(TemplateError, match="no scenario 16; there are 1 to 15"):
        broad(16)
    with pytest.raises(TemplateError, match=r"no template '6\.7'; scenario 6 has 6\.1, 6\.2"):
        local("6.7")
