"""Checked tasks without end: the same on every call, resumed after a kill, and valid."""

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

from tumble import phyq
from tumble.phyq.catalogue import tasks
from tumble.phyq.catalogue.level_json import load
from tumble.phyq.catalogue.tasks import UncheckedTaskWarning
from tumble.phyq.catalogue.template import TemplateError
from tumble.phyq.catalogue.templates import template
from tumble.phyq.generation import blocks
from tumble.phyq.generation.blocks import MakeError, block_ranges
from tumble.phyq.generation.checks import BLOCK_SIZE, faults
from tumble.phyq.generation.generate import TASKS_PER_TEMPLATE, make_tasks
from tumble.phyq.generation.search import robust
from tumble.phyq.simulation.simulator import Simulator


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_made_tasks_are_checked_and_their_ids_give_their_levels(tmp_path: Path) -> None:
    made = make_tasks("1.4", 22, folder=tmp_path, workers=1)
    assert len({one.task.id for one in made}) == 22
    assert [int(one.task.id.split(":")[1].split(".")[0]) for one in made] == sorted(
        int(one.task.id.split(":")[1].split(".")[0]) for one in made
    )
    for one in made:
        assert one.task.checked
        assert phyq.task(one.task.id) == one.task
        assert load(tmp_path / "1.4" / "levels" / f"{one.task.id.replace(':', '-')}.json") == one.task.level
    simulator = Simulator([one.task.level for one in made])
    assert faults(template("1.4"), simulator) == [None] * 22
    pairs = [(k, one.solution.shots) for k, one in enumerate(made)]
    assert all(robust(simulator, pairs, [one.solution.tolerance for one in made]))
    fewer = make_tasks("1.4", 3, folder=tmp_path, workers=1)
    assert fewer == made[:3], "a task does not depend on how many are made"
    assert len(list((tmp_path / "1.4" / "levels").iterdir())) == 3
    later = make_tasks("1.4", 3, first=105, folder=tmp_path, workers=1)
    assert later == [one for one in made if int(one.task.id.split(":")[1].split(".")[0]) >= 105][:3]


@pytest.mark.slow
def test_processes_and_kills_change_no_byte(tmp_path: Path) -> None:
    make_tasks(["1.4", "1.5"], 20, folder=tmp_path / "alone", workers=1)
    code = (
        "from tumble.phyq.generation.generate import make_tasks\n"
        f"if __name__ == '__main__': make_tasks(['1.4', '1.5'], 20, folder={str(tmp_path / 'killed')!r}, workers=2)"
    )
    script = tmp_path / "make.py"
    script.write_text(code, encoding="utf-8")
    process = subprocess.Popen([sys.executable, str(script)], env={**os.environ, "OMP_NUM_THREADS": "1"})
    for _ in range(600):
        if list((tmp_path / "killed").rglob("blocks/*.json")):
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    make_tasks(["1.4", "1.5"], 20, folder=tmp_path / "killed", workers=1)
    assert contents(tmp_path / "alone") == {
        name: data for name, data in contents(tmp_path / "killed").items() if not Path(name).name.startswith(".")
    }


def test_whole_blocks_are_made() -> None:
    assert block_ranges(100, 1) == [(100, 20)]
    assert block_ranges(95, 10) == [(80, 20), (100, 20)]


def test_a_template_without_valid_draws_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "make_block", lambda pilot, first, count: blocks.BlockResult())
    with pytest.raises(MakeError, match=r"template 1\.4: no draw for tasks 100 to 119 passes the checks"):
        make_tasks("1.4", 2, workers=1)


def test_bad_input_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match=r"no template '1\.9'"):
        make_tasks("1.9", 1)
    with pytest.raises(MakeError, match="count"):
        make_tasks("1.4", 0)
    folder = tmp_path / "1.4" / "blocks"
    folder.mkdir(parents=True)
    (folder / "pilot.json").write_text("{", encoding="utf-8")
    with pytest.raises(MakeError, match="delete it to make it again"):
        make_tasks("1.4", 1, folder=tmp_path)


def test_plain_ids_from_100_on_are_unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "_warned", False)
    assert phyq.task("1.4:099").checked
    with pytest.warns(UncheckedTaskWarning, match=r"task 1\.4:100 is unchecked"):
        assert not phyq.task("1.4:100").checked
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        phyq.task("1.4:101")


def test_the_block_is_the_local_test_split() -> None:
    assert tasks.TASKS_PER_TEMPLATE % BLOCK_SIZE == 0
    assert TASKS_PER_TEMPLATE == 100
