"""Phy-Q's report: tables and figures follow from the logs, with published results; documents can be joined."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from run_headers import header_for

from tumble.phyq.evaluation import published_results as paper
from tumble.phyq.evaluation import replay
from tumble.phyq.evaluation.metrics import phy_q
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.report import add_report
from tumble.phyq.simulation import simulator
from tumble.report.document import Document, Figure, Heading, Paragraph, Table, join_documents
from tumble.report.figures import Dot, Style, dots, heat_map
from tumble.runs.log import Log, open_log


class Made:
    """Makes logs of broad runs from the pass rates of scenarios, the same for all their tasks, in multiples of 0.1."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.logs: list[Log] = []

    def log(self, agent: str, rates: dict[int, float], finished: bool = True, **header: Any) -> Log:
        task_ids = [task_id for task_id in PhyQRunSpec("random").task_ids() if int(task_id.split(".")[0]) in rates]
        spec_fields = {name: header.pop(name) for name in ("only", "limit", "attempts", "seed") if name in header}
        whole = header_for(
            PhyQRunSpec(agent, **{"attempts": 10, **spec_fields}),
            agent_settings=header.pop("settings", {"seed": 0}),
            digests={"tasks_sha256": header.pop("tasks_sha256", "same")},
            physics=header.pop("physics", simulator.physics_id()),
            task_count=len(task_ids),
            **header,
        )
        with open_log(self.folder / f"{len(self.logs)}.jsonl", whole) as log:
            for task_id in task_ids[:: 1 if finished else 2]:
                passed = round(10 * rates[int(task_id.split(".")[0])])
                rows = [
                    {"attempt": k, "action": [45.0, 1.0, None, None, None], "status": 1 if k <= passed else -1}
                    for k in range(1, 11)
                ]
                log.add_task(task_id, [{**row, "steps": 500} for row in rows])
            if finished:
                log.finish()
        self.logs.append(log)
        return log

    def report(self) -> Document:
        document = Document("Tumble: agents on Phy-Q")
        add_report(document, self.logs, 0)
        return document


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    monkeypatch.setattr(replay, "rule_share", lambda _: None)  # its shots were not played
    return Made(tmp_path)


RATES = {number: (number % 5) / 10 for number in range(1, 16)}


def tables(document: Document, beginning: str) -> list[Table]:
    return [part for part in document.parts if isinstance(part, Table) and part.caption.startswith(beginning)]


def test_scenario_rates_are_followed_by_the_published_ones(made: Made) -> None:
    made.log("bambirds_style", RATES)
    (table,) = tables(made.report(), "The Phy-Q score")
    assert list(table.header) == ["agent", "given", "Phy-Q", "mean", *map(str, range(1, 16))]
    ours, published, human = (list(map(str, row)) for row in table.rows)
    assert ours[4:] == ["10", "20", "30", "40", "0.0"] * 3
    assert ours[2] == f"{phy_q(RATES):.1f} [{phy_q(RATES):.1f}, {phy_q(RATES):.1f}]"  # all tasks of a template alike
    assert published[0] == "Bambirds as published"
    assert published[2:5] == ["13.6", "17.8", "58"]  # 13.59, mean of 15 scenarios 0.1776, scenario 1 0.58
    assert human[:3] == ["Human as published", "picture; of attempts: status, pictures", "100.0"]
    assert table.dimmed == {1, 2}


def test_figures_show_our_and_published_rates(made: Made) -> None:
    made.log("random", RATES)
    made.log("pig_shooter", RATES)
    by_scenario, line, by_template = (part.plot.svg for part in made.report().parts if isinstance(part, Figure))
    for name in ("random", "pig_shooter", "Pig Shooter", "Human (published)", "15 Manoeuvring"):
        assert f">{name}</text>" in by_scenario
    for name in (*paper.PHY_Q, "humans"):
        assert name.replace("'", "&#x27;") in line or name in line
    assert f"{phy_q(RATES):.1f}" in line
    assert ">Pig Shooter as published</text>" in by_template
    assert by_template.count(">15.8</text>") == 1


def test_template_rates_are_shown_with_published_ones(made: Made) -> None:
    made.log("datalab_style", RATES)
    (table,) = tables(made.report(), "Passed by template")
    assert list(table.header) == ["template", "datalab_style", "Datalab as published"]
    assert ["1.4", "10.0", "95.0"] in [list(map(str, row)) for row in table.rows]
    assert len(table.rows) == 34


def test_attempts_are_counted_under_four_protocols(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "rule_share", lambda _: 0.5)
    made.log("pig_shooter", RATES)
    (table,) = tables(made.report(), "The same attempts")
    assert list(table.header)[:4] == ["agent", "given", "Phy-Q, first attempt", "%, first attempt"]
    ours, published, people = (list(map(str, row)) for row in table.rows)
    assert ours[3::2] == [
        "80.0",
        "80.0",
        "20.0",
        "80.0",
    ]  # some attempts pass in 12 of 15 scenarios, the first ones
    assert ours[6] == f"{phy_q(RATES):.1f}"
    assert ours[10] == "50.0"
    assert published[2:6] == ["-3.6", "-", "-1.6", "12.8"]
    assert people[8:] == ["100.0", "82.9", "-"]
    assert table.dimmed == {1, 2}


def test_seeds_are_averaged_and_unfinished_runs_are_excluded(made: Made) -> None:
    made.log("random", dict.fromkeys(RATES, 0.2))
    made.log("random", dict.fromkeys(RATES, 0.4), settings={"seed": 1}, seed=1)
    made.log("random", dict.fromkeys(RATES, 1.0), finished=False, settings={"seed": 2}, seed=2)
    document = made.report()
    (table,) = tables(document, "The Phy-Q score")
    assert str(table.rows[0][3]) == "30.0 [30.0, 30.0]"
    assert tables(document, "Unfinished")[0].rows[0][1] == "340 of 680"
    text = " ".join(part.text for part in document.parts if isinstance(part, Paragraph))
    assert "1 of them unfinished" in text
    assert "seed 0, 1, 2" in text


def test_other_tasks_and_physics_are_not_mixed(made: Made) -> None:
    made.log("random", RATES)
    made.log("random", RATES, physics="tumble-2d-0/phyq-0")
    made.log("random", {1: 0.5}, only=["1"], tasks_sha256="fewer")
    document = made.report()
    assert len([part for part in document.parts if isinstance(part, Heading) and part.level == 2]) == 3
    assert len(tables(document, "The Phy-Q score")) == 3
    partial = tables(document, "The Phy-Q score")[2]
    assert list(partial.header) == ["agent", "given", "Phy-Q", "mean", "1"]
    assert str(partial.rows[0][2]) == "-"


def test_documents_of_several_benchmarks_are_joined() -> None:
    one, other = Document("Tumble: agents on PHYRE"), Document("Tumble: agents on Phy-Q")
    one.heading("Test sets")
    other.text("Some text.")
    whole = join_documents([one, other], "Both")
    assert [(part.text, part.level) for part in whole.parts if isinstance(part, Heading)] == [
        ("Tumble: agents on PHYRE", 2),
        ("Test sets", 3),
        ("Tumble: agents on Phy-Q", 2),
    ]
    assert whole.title == "Both"


def test_figures_are_reproducible() -> None:
    rows = [Dot("a", Style("#ff0000"), 12.3), Dot("b", Style("#00ff00"), -1.0, hollow=True)]
    assert dots(rows, "score", {"random": 0.0}).svg == dots(rows, "score", {"random": 0.0}).svg
    values = np.array([[0.0, 50.0], [np.nan, 100.0]])
    svg = heat_map(values, ["x", "y"], ["1.1", "1.2"], "passed, %").svg
    assert svg == heat_map(values, ["x", "y"], ["1.1", "1.2"], "passed, %").svg
    assert ">1.2</text>" in svg
