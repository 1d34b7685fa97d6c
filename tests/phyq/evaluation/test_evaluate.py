"""Runs of Phy-Q: tasks, logs, resuming, replaying, results, and commands."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from run_headers import header_for, header_of
from typer.testing import CliRunner, Result

from tumble.cli.app import app
from tumble.phyq.agents.pig_shooter import PigShooter
from tumble.phyq.benchmark import PHYQ
from tumble.phyq.catalogue.tasks import broad, local
from tumble.phyq.evaluation.metrics import PROTOCOLS
from tumble.phyq.evaluation.replay import passes_by_rule, replay, rule_share
from tumble.phyq.evaluation.result import result_of
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.generation.solutions import solution
from tumble.phyq.simulation.attempt import WON, numbers_of, shots_of
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import physics_id
from tumble.runs.log import Log, LogError, open_log, read

runner = CliRunner(env={"COLUMNS": "160", "TERM": "dumb"})
FEW = ("1.4:080", "2.4:081", "13.4:082")

TRAINED = """
from tumble.phyq.agents.agent import Agent
from tumble.phyq.simulation.shots import Shot

class Trained(Agent):
    def train(self, tasks, simulator):
        self.angle = 5.0 + len(tasks) / 100 + tasks[0].scenario
        assert len(simulator.worlds) == len(tasks)

    def propose(self, task, past, now):
        return Shot(self.angle)

class Wrong(Agent):
    def propose(self, task, past, now):
        return 1 / 0

class Idle(Agent):
    def propose(self, task, past, now):
        return Shot(80.0) if len(past) == 1 and not now.shots else None
"""


def printed(*arguments: object) -> str:
    result: Result = runner.invoke(app, [*map(str, arguments)])
    assert result.exit_code == 0, result.output + str(result.exception)
    return result.stdout


def refusal(*arguments: object) -> str:
    result = runner.invoke(app, [*map(str, arguments)])
    assert result.exit_code == 1, result.output
    lines = [line for line in result.stderr.splitlines() if not line.startswith("Warp ")]
    return lines[0].removeprefix("tumble: ")


# Tasks


def test_settings_attempt_the_test_tasks_of_the_paper() -> None:
    parts = PhyQRunSpec("random").parts()
    assert len(parts) == 15
    assert [part.test for part in parts] == [broad(scenario).test for scenario in range(1, 16)]
    assert len(PhyQRunSpec("random").task_ids()) == 34 * 20  # table 7: 34 test templates
    assert len(PhyQRunSpec("random", "local").task_ids()) == 75 * 20
    assert PhyQRunSpec("random", "local").parts()[0] == local("1.1")


def test_tasks_of_a_setting_can_be_selected() -> None:
    selected = PhyQRunSpec("random", only=("3", "6.4"), limit=2)
    assert selected.task_ids() == [f"{key}:{n:03d}" for key in ("3.4", "3.5", "3.6", "6.4") for n in (80, 81)]
    single_tasks = PhyQRunSpec("random", "tasks", only=("6.1:003", "6.1:017", "6.1:003"))
    assert single_tasks.task_ids() == ["6.1:003", "6.1:017"]
    assert single_tasks.parts()[0].train == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"setting": "wide"}, "no setting 'wide'; there are broad, local, tasks"),
        ({"setting": "tasks"}, "select scenarios, templates or tasks"),
        ({"attempts": 0}, "attempts must be 1 or more, not 0"),
        ({"only": ("1.1",)}, "none of 1.1 is a test task of the broad setting"),
        ({"only": ("ball",)}, "'ball' is not a scenario, template or task"),
        ({"only": ("16",)}, "no scenario 16"),
    ],
)
def test_wrong_specifications_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PhyQRunSpec("random", **arguments).task_ids()  # type: ignore[arg-type]


# Logs


def outcomes(log: Log) -> list[tuple[object, ...]]:
    return [(row["task"], row["attempt"], tuple(row["action"]), row["status"], row["steps"]) for row in log.rows()]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Log:
    folder = tmp_path_factory.mktemp("runs")
    return PHYQ.run(PhyQRunSpec("pig_shooter", only=FEW, attempts=2), folder)


def test_a_run_can_be_repeated_from_its_header(finished: Log, tmp_path: Path) -> None:
    header = finished.header
    assert header.benchmark == "phyq"
    assert header.agent_settings == {"pig": "random", "trajectory": "random", "seed": 0}
    assert header.task_count == 3
    assert finished.path.name.endswith(".jsonl.gz")
    again = PHYQ.run(PhyQRunSpec.from_header(header), tmp_path)
    assert outcomes(again) == outcomes(finished)
    assert again.path.name == finished.path.name


def test_replay_is_identical_or_describes_the_difference(finished: Log) -> None:
    assert replay(finished) == ""
    changed = [{**row, "status": -row["status"]} for row in finished.tasks["1.4:080"]]
    tampered = Log(finished.path, finished.header, {**finished.tasks, "1.4:080": changed}, finished=True)
    assert f"task 1.4:080, attempt 1: the log says status {changed[0]['status']}" in replay(tampered)
    longer = [*finished.tasks["1.4:080"], {**finished.tasks["1.4:080"][0], "attempt": 3}]
    assert "has 3 attempts, not 2" in replay(Log(finished.path, finished.header, {"1.4:080": longer}))


def test_a_truncated_run_resumes_to_the_same_outcomes(finished: Log, tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl"
    with open_log(path, finished.header) as log:
        log.add_task("1.4:080", [{**row} for row in finished.tasks["1.4:080"]])
    with path.open("ab") as stream:
        stream.write(b'{"task":"2.4:081","attempt":1,"act')
    resumed = PHYQ.resume(path)
    assert sorted(map(str, outcomes(resumed))) == sorted(map(str, outcomes(finished)))


@pytest.mark.parametrize("uses_past", [True, False])
def test_a_run_killed_within_a_task_resumes_to_the_same_outcomes(
    finished: Log, tmp_path: Path, uses_past: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PigShooter, "uses_past", uses_past)
    with monkeypatch.context() as patched:
        patched.setattr(Log, "finish", Log.sort)  # it stays as it is while it is written
        log = PHYQ.run(PhyQRunSpec("pig_shooter", only=FEW, attempts=2), tmp_path)
    assert outcomes(log) == outcomes(finished)
    lines = log.path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 3 * (2 + 1)
    for kept in (2, 3, 6):
        log.path.write_bytes(b"".join(lines[:kept]))
        rows = sum(b'"attempt"' in line for line in lines[:kept])
        assert sum(map(len, read(log.path).open_tasks.values())) + sum(1 for _ in read(log.path).rows()) == rows
        resumed = PHYQ.resume(log.path)
        assert outcomes(resumed) == outcomes(finished)
        resumed.path.unlink()


def test_attempts_without_a_shot_are_counted_as_given_up(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(TRAINED)
    result = result_of(PHYQ.run(PhyQRunSpec(f"{file}:Idle", only=("1.4:080",), attempts=3), tmp_path))
    assert result.attempts_given_up >= 2  # the second attempt has a shot
    assert f"; {result.attempts_given_up} attempts given up" in result.summary


def test_a_run_of_other_levels_or_physics_is_not_resumed(finished: Log, tmp_path: Path) -> None:
    changes: list[dict[str, object]] = [
        {"digests": {**finished.header.digests, "tasks_sha256": "other"}},
        {"physics": "tumble-2d-0/phyq-0"},
    ]
    for number, change in enumerate(changes):
        path = tmp_path / f"{number}.jsonl"
        with open_log(path, finished.header.model_copy(update=change)):
            pass
        with pytest.raises(LogError, match=r"tasks: changed since the run was started|was made with physics"):
            PHYQ.resume(path)


def test_agents_that_train_do_so_for_each_scenario(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(TRAINED)
    log = PHYQ.run(PhyQRunSpec(f"{file}:Trained", only=("8.3:080", "14.2:080"), attempts=1), tmp_path)
    angles = {task: rows[0]["action"][0] for task, rows in log.tasks.items()}
    assert angles == {"8.3:080": 5.0 + 2.0 + 8, "14.2:080": 5.0 + 1.0 + 14}  # two training templates, and one
    with pytest.raises(ValueError, match=r"Wrong failed proposing for task 1.4:080: .*mine.py, line 15: ZeroDivision"):
        PHYQ.run(PhyQRunSpec(f"{file}:Wrong", only=("1.4:080",)), tmp_path)


def test_shots_are_restored_from_numbers() -> None:
    shots = (Shot(12.25), Shot(-3.0, 0.4, tap_ms=800.0), Shot(80.0, tap_share=0.7, delay=1.5))
    assert shots_of(json.loads(json.dumps(numbers_of(shots)))) == shots
    with pytest.raises(ValueError, match="7 numbers are not shots"):
        shots_of([1.0] * 7)


# Results


@pytest.mark.parametrize(
    ("passed", "rates"),
    [
        ([False, False, True, True, False], (0.0, 1 / 3, 0.4, 0.6)),
        ([True, False, False, False, False], (1.0, 1.0, 0.2, 1.0)),
        ([False] * 5, (0.0, 0.0, 0.0, 0.0)),
        ([False] * 5 + [True] * 5, (0.0, 1 / 6, 0.5, 0.0)),
    ],
)
def test_rates_under_four_protocols(passed: Sequence[bool], rates: tuple[float, ...]) -> None:
    assert tuple(rate(passed) for rate in PROTOCOLS.values()) == pytest.approx(rates)


def test_passes_are_held_against_the_rule_of_their_template(tmp_path: Path) -> None:
    spec = PhyQRunSpec("random", "tasks", ("4.1:000-001", "1.4:000"), attempts=2)
    rows = {task_id: [numbers_of(solution(task_id).shots), numbers_of([Shot(-80.0)])] for task_id in spec.task_ids()}
    header = header_for(spec, digests=spec.task_digests(), physics=physics_id())
    tasks = {
        task_id: [{"task": task_id, "action": action, "status": WON} for action in own] for task_id, own in rows.items()
    }
    result = result_of(Log(tmp_path / "log", header, tasks))  # type: ignore[arg-type]
    assert passes_by_rule(result) == dict.fromkeys(spec.task_ids(), 1)  # not the shots into the ground
    assert rule_share(result) == 0.5
    other = header_for(spec, digests={"tasks_sha256": "other"}, physics=physics_id())
    assert rule_share(replace(result, header=other)) is None
    assert rule_share(replace(result, wins={})) is None


def test_rates_are_means_over_tasks_then_templates(finished: Log) -> None:
    rows = {"3.4:080": [1, -1], "3.4:081": [1, 1], "3.5:080": [-1, -2]}
    tasks = {task: [{"task": task, "action": [], "status": status} for status in own] for task, own in rows.items()}
    result = result_of(Log(finished.path, finished.header, tasks))  # type: ignore[arg-type]
    assert result.template_rates() == {"3.4": 0.75, "3.5": 0.0}
    assert result.scenario_rates() == {3: 0.375}
    assert result.phy_q is None


# Commands


def test_from_a_command_to_tables_and_a_page(tmp_path: Path) -> None:
    runs, page = tmp_path / "runs", tmp_path / "report.html"
    options = ("--agent", "pig_shooter,datalab_style", "--only", "1,4", "--limit", 1, "--attempts", 2)
    evaluated = printed("phyq", "evaluate", *options, "--runs", runs, "--workers", 1)
    assert "pig_shooter, broad, seed 0: passed" in evaluated
    assert "1 Single force" in evaluated
    listed = printed("runs", "list", runs)
    assert "passed, %" in listed
    assert listed.count("phyq-") == 2
    (log,) = runs.glob("phyq-pig_shooter-*.jsonl.gz")
    shown = printed("runs", "show", log)
    assert "until the first pass, %" in shown
    assert "spec: agent pig_shooter" in shown
    assert "4 tasks, 8 attempts, replay identical." in printed("runs", "verify", log)
    assert "Nothing to resume: 2 runs, all finished." in printed("runs", "resume", runs)
    printed("report", runs, "-o", page, "--gifs", 1)
    text = page.read_text()
    assert "Tumble: agents on Phy-Q" in text
    assert text.count("data:image/svg+xml,") in (1, 2)
    assert "The Phy-Q score, and attempts that passed" in printed("report", runs, "--text")


def test_an_unfinished_run_is_resumed_by_the_command(finished: Log, tmp_path: Path) -> None:
    with open_log(tmp_path / "cut.jsonl", finished.header):
        pass
    assert "pig_shooter, broad" in printed("runs", "resume", tmp_path)
    assert read(tmp_path / "cut.jsonl.gz").finished


def test_wrong_options_are_refused(tmp_path: Path) -> None:
    run = ("phyq", "evaluate", "--runs", tmp_path)
    assert "no agent 'eagle'; there are random" in refusal(*run, "--agent", "eagle")
    assert "no setting 'angle': pig_shooter has pig" in refusal(*run, "--agent", "pig_shooter", "--set", "angle=3")
    assert "no template '1.9'" in refusal(*run, "--agent", "random", "--only", "1.9")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(LogError, match="a run of 'phyre', not of 'phyq'"):
        PhyQRunSpec.from_header(header_of("phyre"))
