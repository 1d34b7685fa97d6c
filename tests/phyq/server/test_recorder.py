"""Attempts of clients are written to run logs, which are scored, reported and replayed like all others."""

from dataclasses import replace
from pathlib import Path

import pytest
from protocol_client import Client, PigShooterPlayer, play_as_datalab
from serving import MISS, release_at, serving

from tumble.phyq.agents import AgentError
from tumble.phyq.agents.agent import external_name
from tumble.phyq.benchmark import PHYQ
from tumble.phyq.catalogue.tasks import cached_task
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.server.server import Recorder
from tumble.phyq.simulation.attempt import Attempt, shots_of
from tumble.phyq.simulation.shots import Shot
from tumble.runs import log as run_log
from tumble.runs.log import Log

IDS = ("1.1:080", "11.1:081", "14.1:080-081")
SPEC = PhyQRunSpec(external_name("Tester"), "tasks", IDS, attempts=1)
TASKS = [cached_task(task_id) for task_id in SPEC.task_ids()]


def replayed(log: Log) -> str:
    """The first difference between a log and its replay."""
    return PHYQ.replay(run_log.read(log.path), lambda count: None)


def logs_in(folder: Path) -> list[Log]:
    logs, problems = run_log.logs_in([folder])
    assert not problems
    return sorted(logs, key=lambda log: log.header.spec["seed"])


def test_a_whole_run_is_recorded_and_replays_bit_for_bit(tmp_path: Path) -> None:
    with Recorder(SPEC, tmp_path) as recorder, serving(TASKS, 1, recorder) as running, Client(running.port) as client:
        records = play_as_datalab(client, lambda level, shot: release_at(20.0 + 13.0 * shot))
    (log,) = logs_in(tmp_path)
    assert log.finished
    assert log.path.name.startswith("phyq-external-Tester-tasks-")
    assert list(log.tasks) == [task.id for task in TASKS]
    result = PHYQ.result(log)
    assert result.agent == "Tester"
    assert [any(passed) for passed in result.passed.values()] == [record.won for record in records]
    assert replayed(log) == ""


def test_taps_delays_and_given_up_attempts_replay_too(tmp_path: Path) -> None:
    x, y = release_at(50.0)
    with Recorder(SPEC, tmp_path) as recorder, serving(TASKS, 1, recorder) as running, Client(running.port) as client:
        client.number(51, "B", "I", 2)
        client.number(51, "B", "I", 2)  # without a shot: no attempt
        client.number(31, "B", "4i", x, y, 0, 900)
        client.number(51, "B", "I", 3)  # gives it up
        client.number(41, "B", "4i", x, y, 700, 0)
        client.number(41, "B", "4i", x, y, 700, 0)
        client.number(53, "I")
    (log,) = logs_in(tmp_path)
    assert not log.finished
    (given_up,), (overlapping,) = log.tasks["11.1:081"], log.tasks["14.1:080"]
    assert given_up["status"] == 0
    assert shots_of(given_up["action"])[0].tap_ms == 900.0
    assert [shot.delay for shot in shots_of(overlapping["action"])] == [None, 0.7]
    assert PHYQ.result(log).attempts_given_up == 1 + (overlapping["status"] == 0)
    assert replayed(log) == ""


def test_clients_fill_one_run_and_further_attempts_start_the_next(tmp_path: Path) -> None:
    spec = replace(SPEC, only=("1.1:080", "1.1:081"), attempts=2)
    tasks = [cached_task(task_id) for task_id in spec.task_ids()]
    with Recorder(spec, tmp_path) as recorder, serving(tasks, 2, recorder) as running:
        for levels in ((1, 2, 1), (1, 2)):
            with Client(running.port) as client:
                player = PigShooterPlayer(client, lambda level, shot: MISS)
                player.start()
                for level in levels:
                    player.play(level)
        assert recorder.attempts == 5
    first, second = logs_in(tmp_path)
    assert (first.finished, second.finished) == (True, False)
    assert {task: len(rows) for task, rows in first.tasks.items()} == {"1.1:080": 2, "1.1:081": 2}
    assert {task: len(rows) for task, rows in second.open_tasks.items()} == {"1.1:080": 1}
    assert replayed(first) == ""


def test_a_killed_client_leaves_a_valid_log_that_is_continued(tmp_path: Path) -> None:
    for levels in ((1, 2), (3, 4)):
        with Recorder(SPEC, tmp_path) as recorder, serving(TASKS, 1, recorder) as running:
            with Client(running.port) as client:
                for level in levels:
                    client.number(51, "B", "I", level)
                    for _ in TASKS[level - 1].level.birds:
                        client.shoot(MISS)
                client.number(51, "B", "I", 3)
                client.shoot(MISS)  # this attempt is never finished
            (log,) = logs_in(tmp_path)
            assert list(log.tasks) == [task.id for task in TASKS[: levels[-1]]]
            assert replayed(log) == ""
    assert log.finished


def test_an_attempt_is_written_when_it_ends(tmp_path: Path) -> None:
    with Recorder(SPEC, tmp_path) as recorder:
        recorder.record("1.1:080", Attempt((Shot(10.0),), "lost", 1, (0,), 300))
        (log,) = logs_in(tmp_path)
        assert log.tasks["1.1:080"][0]["steps"] == 300
        with pytest.raises(run_log.LogError, match="being written by another process"), Recorder(SPEC, tmp_path):
            pass


def test_a_run_from_outside_cannot_be_resumed_here(tmp_path: Path) -> None:
    with Recorder(SPEC, tmp_path) as recorder:
        recorder.record("1.1:080", Attempt((Shot(10.0),), "lost", 1, (0,), 300))
    (log,) = logs_in(tmp_path)
    with pytest.raises(AgentError, match="can't be started here: run `tumble phyq serve`"):
        PHYQ.resume(log.path)


@pytest.mark.parametrize("name", ["", "a:b", "a/b", "new\nline"])
def test_names_of_agents(name: str) -> None:
    with pytest.raises(AgentError, match="no name for an agent"):
        external_name(name)
