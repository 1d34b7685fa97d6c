"""Parts of the report that compare settings and trainings: transfer, learning curves, local and broad, people."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from run_headers import header_for

from tumble.phyq.evaluation.result import result_of
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.report import add_report
from tumble.phyq.report.people import attempts_to_pass
from tumble.phyq.report.training import transfer_matrix
from tumble.report.document import Document, Figure, Heading, Table
from tumble.runs.log import Log, open_log
from tumble.runs.spec import RunSpecError

ATTEMPTS = 5

GIVEN = "not known"


def made_log(path: Path, rates: dict[int, float], **spec: Any) -> Log:
    """A run whose first attempts passed at the rates of their scenarios, in multiples of 0.2."""
    run = PhyQRunSpec("sb3", **{"limit": 1, "attempts": ATTEMPTS, "setting": "broad", **spec})
    digests, settings = {"tasks_sha256": "same"}, {"algorithm": "ppo", "train_on": run.train_on, "seed": run.seed}
    header = header_for(run, agent_settings=settings, digests=digests, task_count=len(run.task_ids()))
    with open_log(path, header) as log:
        for task_id in run.task_ids():
            passes = round(ATTEMPTS * rates.get(int(task_id.partition(".")[0]), 0.0))
            rows = [
                {"attempt": k, "action": [45.0, 1.0, None, None, None], "status": 1 if k > ATTEMPTS - passes else -1}
                for k in range(1, ATTEMPTS + 1)
            ]
            log.add_task(task_id, [{**row, "steps": 500} for row in rows])
        log.finish()
    return log


def report(logs: list[Log]) -> Document:
    document = Document("Tumble")
    add_report(document, logs, 0)
    return document


def table(document: Document, beginning: str) -> list[list[str]]:
    (found,) = [part for part in document.parts if isinstance(part, Table) and part.caption.startswith(beginning)]
    return [list(map(str, row)) for row in found.rows]


def headings(document: Document) -> list[str]:
    return [part.text for part in document.parts if isinstance(part, Heading)]


def test_transfer_is_a_matrix_of_scenarios(tmp_path: Path) -> None:
    logs = [
        made_log(tmp_path / "a.jsonl", {3: 0.8, 4: 0.2}, train_on="3"),
        made_log(tmp_path / "b.jsonl", {3: 0.4, 4: 0.2}, train_on="3", seed=1),
        made_log(tmp_path / "c.jsonl", {3: 0.2, 4: 1.0, 6: 0.4}, train_on="4"),
    ]
    matrix = transfer_matrix([result_of(log) for log in logs])
    assert matrix.shape == (15, 15)
    assert matrix[2, 2:4].round(6).tolist() == [60.0, 20.0]
    assert matrix[3, [2, 3, 5]].round(6).tolist() == [20.0, 100.0, 40.0]
    assert np.isnan(matrix[[0, 1, *range(4, 15)]]).all()
    document = report(logs)
    assert "Transfer between scenarios" in headings(document)
    assert table(document, "Passed after training on one scenario") == [
        ["sb3", GIVEN, "3 Rolling", "60.0", "1.4", "4"],
        ["sb3", GIVEN, "4 Falling", "100.0", "4.3", "6"],
    ]
    assert not any(text.startswith("Broad") for text in headings(document))  # they are no runs of the broad setting


def test_learning_curves_grow_with_the_training_set(tmp_path: Path) -> None:
    every = dict.fromkeys(range(1, 16), 0.0)
    logs = [
        made_log(tmp_path / "a.jsonl", dict.fromkeys(every, 0.2), train_templates=1),
        made_log(tmp_path / "b.jsonl", dict.fromkeys(every, 0.4), train_templates=2),
        made_log(tmp_path / "c.jsonl", dict.fromkeys(every, 0.6)),
        made_log(tmp_path / "d.jsonl", dict.fromkeys(every, 0.0), train_tasks=10),
    ]
    document = report(logs)
    by_templates = table(document, "Passed by the number of training templates")
    assert by_templates == [
        ["sb3", GIVEN, "broad", "1", "20.0"],
        ["sb3", GIVEN, "broad", "2", "40.0"],
        ["sb3", GIVEN, "broad", "4", "60.0"],
    ]
    by_tasks = table(document, "Passed by the number of training tasks")
    assert by_tasks == [["sb3", GIVEN, "broad", "10", "0.0"], ["sb3", GIVEN, "broad", "100", "60.0"]]


def test_local_and_broad_stand_side_by_side(tmp_path: Path) -> None:
    logs = [
        made_log(tmp_path / "a.jsonl", dict.fromkeys(range(1, 16), 0.8), setting="local"),
        made_log(tmp_path / "b.jsonl", dict.fromkeys(range(1, 16), 0.2)),
    ]
    document = report(logs)
    assert table(document, "Attempts that passed, %: mean over templates (local)") == [["sb3", GIVEN, "80.0", "20.0"]]
    figure = [part.plot.svg for part in document.parts if isinstance(part, Figure)][-1]
    assert ">local</text>" in figure
    assert "Local against broad generalisation" not in headings(report(logs[:1]))


def test_attempts_are_counted_until_the_first_pass(tmp_path: Path) -> None:
    log = made_log(tmp_path / "a.jsonl", {**dict.fromkeys(range(1, 16), 1.0), 3: 0.4, 4: 0.0})
    counts = attempts_to_pass(result_of(log))
    assert (counts[1], counts[3], counts[4]) == (1.0, 4.0, 5.0)
    rows = table(report([log]), "Attempts until the first pass")
    assert [row[0] for row in rows] == [
        "sb3",
        "people, attempts as published",
        "people, seconds of thought as published",
    ]
    assert rows[0][4:6] == ["4.0", "5.0"]
    assert rows[1][1] == "1.8"  # 27.01 / 15


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"agent": "sb3", "train_on": "16"}, "a scenario from 1 to 15"),
        ({"agent": "sb3", "train_tasks": 0}, "train_tasks must be 1 or more"),
        ({"agent": "sb3", "setting": "tasks", "only": ("3",), "train_on": "3"}, "do not train for the setting tasks"),
    ],
)
def test_impossible_trainings_are_refused(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(RunSpecError, match=problem):
        PhyQRunSpec(**fields)


def test_agents_that_do_not_train_take_no_training_set() -> None:
    with pytest.raises(RunSpecError, match="random does not train"):
        PhyQRunSpec("random", train_on="3").make_agent()
    assert PhyQRunSpec("sb3", train_on="3").make_agent().train_on == "3"


def test_training_tasks_are_those_of_one_scenario_or_the_first() -> None:
    (part,) = PhyQRunSpec("sb3", train_on="14", limit=1).parts()
    assert {task_id.partition(":")[0] for task_id in part.train} == {"14.1"}
    assert len(part.test) == 34
    first = PhyQRunSpec("sb3", train_templates=2, train_tasks=3, limit=1).parts()[2]
    assert first.train == ["3.1:000", "3.1:001", "3.1:002", "3.2:000", "3.2:001", "3.2:002"]


def test_runs_are_named_after_what_they_trained_on() -> None:
    spec = PhyQRunSpec("sb3", train_on="3", train_tasks=20)
    assert spec.file_name().startswith("phyq-sb3-broad-train_on_3-train_tasks_20-")
    assert "train_on_3" in spec.title
    assert PhyQRunSpec("sb3").file_name().startswith("phyq-sb3-broad-")
