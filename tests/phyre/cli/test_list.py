"""`tumble phyre list`."""

import re

from phyre_commands import printed, refusal, row

from tumble.phyre.catalogue.templates import NAMES, published_numbers


def test_list_has_all_templates_or_those_of_a_tier() -> None:
    everything = printed("list")
    for key, name in NAMES.items():
        assert row(everything, key)[1:4] == [name, "B" if key < "00100" else "2B", "100"]
    assert "A ball falls onto two wandering chains of fixed pegs and gets stuck" in everything
    assert "peg_chains" not in printed("list", "--tier", "2B")


def test_list_documents_a_template_and_its_published_tasks() -> None:
    text = printed("list", "hooked_sticks")
    assert text == printed("list", "00122")
    for heading in ("Bodies", "Parameters", "Goal", "Solvability", "Published tasks"):
        assert f"\n{heading}\n" in text
    assert re.findall(r"00122:\d+", text) == [f"00122:{number:03d}" for number in published_numbers()["00122"]]


def test_list_refuses_unknown_tiers_and_templates() -> None:
    assert refusal("list", "--tier", "3B") == "no tier '3B'; there are B, 2B"
    assert refusal("list", "bogus").startswith("no template 'bogus'")
