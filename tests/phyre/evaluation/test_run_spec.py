"""Run specifications: which are rejected, which name the same run, and runs of users' agents and tasks."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from user_agents import user_agent

from tumble import phyre
from tumble.errors import TumbleError
from tumble.phyre.benchmark import PHYRE
from tumble.phyre.catalogue import task_files
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.runs.evaluate import resumable_spec
from tumble.runs.log import LogError, read
from tumble.runs.spec import RunSpecError

SHELF = '''"""A ball lies on a shelf."""
from tumble.phyre.catalogue.template import ball, bar
ID = "shelf"
TIER = "B"
PARAMETERS = {"height": (0.3, 0.4, 0.5, 0.6)}

def build(world, height):
    floor = world.static(bar(1), "floor", left=0, bottom=0)
    shelf = world.static(bar(0.3), "shelf", left=0.3, bottom=height)
    world.goal(world.dynamic(ball(0.1), "ball", cx=shelf.cx, bottom=shelf.top), floor)
'''


@pytest.mark.parametrize("store", [None, "none"])
def test_an_agent_trains_with_a_simulator_that_has_no_test_task(tmp_path: Path, store: str | None) -> None:
    look_at_test_tasks = (
        "import numpy as np\n"
        "        from tumble import phyre\n"
        "        test = phyre.fold('ball_within_template', 0, phyre.task_ids('B')).test\n"
        "        assert len(tasks) == 2000 and not {task.id for task in tasks} & set(test)\n"
        "        assert {task.id for task in simulator.tasks} == {task.id for task in tasks}\n"
        "        for look in (simulator.sweep, simulator.pairs, simulator.outcomes, simulator.attempts):\n"
        "            try:\n"
        "                action = [[0.5, 0.5, 0.1]]\n"
        "                look(action, test[:1]) if look == simulator.sweep else look(test[:1], action)\n"
        "            except ValueError:\n"
        "                continue\n"
        "            raise AssertionError(f'{look} simulated a test task')"
    )
    mine = PhyreRunSpec(
        user_agent(tmp_path, train=look_at_test_tasks), "ball_within_template", limit=1, attempts=2, store=store
    )
    log = PHYRE.run(mine, tmp_path / "runs")
    assert log.finished
    assert len(log.tasks) == 1


def test_a_run_on_user_defined_tasks(tmp_path: Path) -> None:
    (tmp_path / "shelf.py").write_text(SHELF)
    known, path = task_files.load_named(tmp_path / "shelf.py"), tmp_path / "shelf.json"
    task_files.save(path, known)
    mine = PhyreRunSpec(user_agent(tmp_path), "ball_within_template", tasks=str(path), limit=3, attempts=8)
    log = PHYRE.run(mine, tmp_path / "runs")
    assert list(log.tasks) == list(known)[:3]
    assert log.header.digests["tasks_sha256"]
    assert log.header.task_count == 3
    rows = list(log.rows())
    assert rows
    again = phyre.Simulator(known.values(), "B").pairs([row["task"] for row in rows], [row["action"] for row in rows])
    assert again.tolist() == [row["status"] for row in rows]
    with pytest.raises(RunSpecError, match="task shelf:000 is of tier B, but the setting needs tier 2B"):
        PHYRE.run(PhyreRunSpec("rand", "two_balls_within_template", tasks=str(path)), tmp_path / "runs")
    assert {file.suffix for file in (tmp_path / "runs").iterdir()} == {".gz", ".json"}
    assert len(list((tmp_path / "runs").iterdir())) == 2  # the log and its tasks; the rejected run left no file


def test_tasks_of_a_log_are_found_beside_it_by_their_digest(tmp_path: Path) -> None:
    (tmp_path / "shelf.py").write_text(SHELF)
    path = tmp_path / "shelf.json"
    task_files.save(path, task_files.load_named(tmp_path / "shelf.py"))
    log = PHYRE.run(
        PhyreRunSpec("rand", "ball_within_template", tasks=str(path), limit=2, attempts=3), tmp_path / "runs"
    )
    path.unlink()
    assert log.header.spec["tasks"] == "shelf.json", "a header has no folders"
    assert PHYRE.replay(read(log.path), lambda _: None) == ""
    moved = tmp_path / "elsewhere" / log.path.name
    moved.parent.mkdir()
    log.path.rename(moved)
    with pytest.raises(LogError, match=r"are not in .*elsewhere; name their folder with --data DIR"):
        PHYRE.replay(read(moved), lambda _: None)
    (stored,) = (tmp_path / "runs").glob("tasks-*.json")
    stored.write_text(stored.read_text().replace("shelf:001", "shelf:009"))
    stored.rename(moved.parent / stored.name)
    with pytest.raises(RunSpecError, match="its tasks differ from those of the run"):
        PHYRE.replay(read(moved), lambda _: None)


@pytest.mark.parametrize("name", ["evil.py", "../evil.py", "/etc/passwd", "evil.json"])
def test_a_log_names_no_program_and_no_file_that_is_opened(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    marker = tmp_path / "ran"
    (tmp_path / "evil.py").write_text(f"open({str(marker)!r}, 'w')\nclass Evil: pass\n")
    (tmp_path / "evil.json").write_text("[]")
    log = PHYRE.run(PhyreRunSpec("rand", "ball_within_template", limit=1, attempts=2, store="none"), tmp_path / "runs")
    for change in ({"tasks": name}, {"agent": f"{name}:Evil"}, {"store": name}, {"settings": {"checkpoint": name}}):
        header = log.header.model_copy(update={"spec": {**log.header.spec, **change}})
        forged = replace(log, header=header)
        with suppress(TumbleError):
            PHYRE.replay(forged, lambda _: None)
        if "store" not in change:
            with pytest.raises((LogError, RunSpecError)):
                resumable_spec(forged, PhyreRunSpec)
        assert not marker.exists()


def test_a_run_of_a_users_agent_is_resumed_when_its_file_is_named_again(tmp_path: Path) -> None:
    mine = PhyreRunSpec(user_agent(tmp_path), "ball_within_template", limit=1, attempts=2, store="none")
    log = PHYRE.run(mine, tmp_path / "runs")
    with pytest.raises(LogError, match="is a program, which only runs when it is named: --agent FOLDER/"):
        resumable_spec(log, PhyreRunSpec)
    assert resumable_spec(log, PhyreRunSpec, mine.agent).agent == mine.agent
    user_agent(tmp_path, train="return")
    with pytest.raises(LogError, match="changed since the run was started"):
        resumable_spec(log, PhyreRunSpec, mine.agent)


def test_another_version_of_agent_or_tasks_is_another_run(tmp_path: Path) -> None:
    path = tmp_path / "shelf.json"
    template = tmp_path / "shelf.py"
    template.write_text(SHELF)
    task_files.save(path, task_files.load_named(template))
    mine = PhyreRunSpec(user_agent(tmp_path), "ball_within_template", tasks=str(path))
    first = mine.file_name()
    assert PhyreRunSpec(mine.agent, mine.setting, tasks=str(path), store="none", device="cuda").file_name() == first
    user_agent(tmp_path, train="return")
    second = mine.file_name()
    template.write_text(SHELF.replace("0.6)", "0.65)"))
    task_files.save(path, task_files.load_named(template))
    assert len({first, second, mine.file_name()}) == 3


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"setting": "ball"}, "no setting 'ball'; there are ball_cross_template"),
        ({"split": "train"}, "no split 'train'; there are test, validation"),
        ({"fold": 10}, "no fold 10; there are 0 to 9"),
        ({"attempts": 0}, "attempts must be 1 or more, not 0"),
        ({"limit": 0}, "limit must be 1 or more, not 0"),
    ],
)
def test_invalid_specifications_are_rejected(change: dict[str, object], why: str) -> None:
    with pytest.raises(RunSpecError, match=why):
        PhyreRunSpec(**{"agent": "mem", "setting": "ball_cross_template", **change})  # type: ignore[arg-type]
