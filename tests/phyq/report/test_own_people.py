"""People of a study in place of the published ones: in scores, in the report, and on the command line."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from run_headers import header_for
from typer.testing import CliRunner

from tumble.cli.app import app
from tumble.errors import TumbleError
from tumble.phyq.evaluation.metrics import SCORED_SCENARIOS, human_z, people_rate, phy_q
from tumble.phyq.evaluation.result import people_figures, result_of, seconds_of_thought
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.report import add_report
from tumble.phyq.simulation import simulator
from tumble.report.document import Document, Paragraph, Table
from tumble.runs.log import Log, open_log

ATTEMPTS = 5


def make_log(folder: Path, agent: str, seed: int, finished: bool = True, **extra: Any) -> Log:
    """A log in which attempts pass by chance."""
    spec = PhyQRunSpec(agent, attempts=ATTEMPTS, limit=1, seed=seed)
    ids = spec.task_ids()
    settings = {"study": "pilot"} if agent == "people" else {"seed": seed}
    header = header_for(
        spec,
        agent_settings=settings,
        digests={"tasks_sha256": "same"},
        physics=simulator.physics_id(),
        task_count=len(ids),
    )
    draw = np.random.default_rng(seed)
    with open_log(folder / f"{agent}-{seed}.jsonl", header) as log:
        for task_id in ids:
            statuses = np.where(draw.random(ATTEMPTS) < 0.3, 1, -1).tolist()
            action = [45.0, 1.0, None, None, None]
            rows = [
                {"attempt": k, "action": action, "status": status, "steps": 500, **extra}
                for k, status in enumerate(statuses, 1)
            ]
            log.add_task(task_id, rows)
        if finished:
            log.finish()
    return log


TIMES = {"seen": 1.0, "touched_ms": [500], "released_ms": [2000]}


@pytest.fixture
def people(tmp_path: Path) -> list[Log]:
    folder = tmp_path / "people"
    folder.mkdir()
    return [make_log(folder, "people", seed, **TIMES) for seed in range(10, 14)]


def report_of(*logs: Log) -> Document:
    document = Document("Phy-Q")
    add_report(document, logs, 0)
    return document


def table(document: Document, beginning: str) -> Table:
    (found,) = [part for part in document.parts if isinstance(part, Table) and part.caption.startswith(beginning)]
    return found


def test_the_mean_person_has_a_hundred(people: list[Log]) -> None:
    humans = people_figures([result_of(log) for log in people])
    assert phy_q({number: mean for number, (mean, _) in humans.items()}, humans=humans) == pytest.approx(100.0)
    first = result_of(people[0])
    number = SCORED_SCENARIOS[0]
    rates = {
        one.spec.seed: np.mean([people_rate(own) for task, own in one.passed.items() if task.split(".")[0] == "3"])
        for one in map(result_of, people)
    }
    assert humans[number] == (pytest.approx(np.mean([*rates.values()])), pytest.approx(np.std([*rates.values()])))
    assert human_z(first.scenario_rates(), humans) != human_z(first.scenario_rates())


def test_too_few_or_equal_people_have_no_deviation(people: list[Log], tmp_path: Path) -> None:
    with pytest.raises(TumbleError, match="2 people or more with scenarios 3 to 15, got 1"):
        people_figures([result_of(people[0]), result_of(make_log(tmp_path, "people", 9, finished=False, **TIMES))])
    with pytest.raises(TumbleError, match="who are all equal in scenario 3, 4"):
        people_figures([result_of(people[0])] * 2)


def test_the_report_shows_scores_relative_to_own_people_and_their_thought(people: list[Log], tmp_path: Path) -> None:
    agent = make_log(tmp_path, "random", 50)
    document = report_of(*people, agent)
    own = table(document, "Phy-Q scores relative to the 4 people")
    humans = people_figures([result_of(log) for log in people])
    rates = result_of(agent).scenario_rates()
    assert list(map(str, own.rows[0])) == [
        "random",
        "not known",
        f"{phy_q(rates, humans=humans):.1f}",
        f"{phy_q(rates):.1f}",
    ]
    attempts = table(document, "Attempts until the first pass")
    labels = [str(row[0]) for row in attempts.rows]
    (thought,) = [row for row in attempts.rows if str(row[0]).endswith("seconds of thought")]
    until = [task for log in people for task in result_of(log).thought.values()]
    assert 2.0 <= float(str(thought[1])) <= max(until)
    assert labels[-2:] == ["people, attempts as published", "people, seconds of thought as published"]


def test_the_report_says_why_there_are_no_own_scores(people: list[Log]) -> None:
    document = report_of(people[0])
    texts = [part.text for part in document.parts if isinstance(part, Paragraph)]
    assert any("No Phy-Q scores relative to the 1 people" in text for text in texts)


@pytest.mark.parametrize(
    ("rows", "seconds"),
    [
        ([([1000], -1), ([2000, 500], 1), ([9000], 1)], 3.5),
        ([([1000], -1), ([], 1)], None),
        ([([1000, None], 1)], None),
        ([([1000], -1), ([], 0)], 1.0),  # given up after one attempt
        ([([], 0)], None),
    ],
)
def test_thought_counts_until_the_first_pass(rows: list[Any], seconds: float | None) -> None:
    table = [{"status": status, "action": [1.0] if status else [], "released_ms": ms} for ms, status in rows]
    assert seconds_of_thought(table) == seconds


def test_the_command_scores_relative_to_people(people: list[Log], tmp_path: Path) -> None:
    agent = make_log(tmp_path, "random", 50)
    shown = CliRunner().invoke(app, ["phyq", "score", str(agent.path), "--people", str(tmp_path / "people")])
    humans = people_figures([result_of(log) for log in people])
    assert shown.exit_code == 0, shown.output
    assert f"{phy_q(result_of(agent).scenario_rates(), humans=humans):.2f}" in shown.output
    assert "The 4 people of" in shown.output.replace("\n", " ")
    wrong = CliRunner().invoke(app, ["phyq", "score", "--published", "--people", str(agent.path)])
    assert wrong.exit_code == 1
    assert "human figures need finished logs" in wrong.output
