"""How commands select a task: by id, by the name of its template, or from a file."""

from pathlib import Path

import pytest
from phyre_commands import printed, refusal


def test_a_file_selects_its_first_task(template: Path) -> None:
    assert printed("show", template).startswith("mine:000, tier B\n")
    assert printed("show", f"{template}#mine:002").startswith("mine:002, tier B\n")


def test_an_id_may_use_the_name_of_the_template_and_omit_zeros() -> None:
    assert printed("show", "peg_chains:42").startswith("00013:042, peg_chains, tier B\n")


@pytest.mark.parametrize(
    ("task", "why"),
    [
        ("bogus", "no task 'bogus': an id is a template and a number, as in 00013:042"),
        ("00099:001", "no template '00099'; there are 00000 to 00024 (B) and 00100 to 00124 (2B)"),
        ("00003:999", "template 00003 (stick_in_vase) has 320 tasks, the last is number 319; there is no 999"),
        ("peg_chains", "peg_chains is a template; give one of its tasks, such as 00013:011"),
        ("missing.json", "missing.json: no such file"),
        ("missing.json#mine:000", "missing.json: no such file"),
    ],
)
def test_unknown_tasks_are_refused(task: str, why: str) -> None:
    assert refusal("show", task) == why


def test_a_missing_task_of_a_file_is_refused_with_a_list_of_its_tasks(template: Path) -> None:
    expected = f"{template} has no task 'mine:009'; it has 4: mine:000, mine:001, mine:002, mine:003"
    assert refusal("show", f"{template}#mine:009") == expected
