"""PHYRE's report: tables and figures follow from the logs, and runs that can't be compared are not mixed."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
import pytest
from run_headers import header_for

from tumble import phyre
from tumble.phyre.catalogue.tasks_by_id import FOLDS, SETTINGS, solution
from tumble.phyre.evaluation import published_results as paper
from tumble.phyre.evaluation.result import result_of
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.report import add_report
from tumble.report.document import Cell, Document, Figure, Heading, Paragraph, Pictures, Table
from tumble.runs.log import Log, LogError, open_log
from tumble.runs.participant import Given

ACROSS, WITHIN = "ball_cross_template", "ball_within_template"
DQN = {"fusion": "last", "ranked": 1000, "seed": 0, "checkpoint": "somewhere.pt"}


@pytest.fixture
def made(tmp_path: Path) -> "Made":
    return Made(tmp_path)


def compose(logs: list[Log], gifs: int = 0) -> Document:
    document = Document("Tumble: agents on PHYRE")
    add_report(document, logs, gifs)
    return document


class Made:
    """Makes logs of tasks 00000:000, 00000:001, … from the attempts at which they were solved."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.logs: list[Log] = []

    def log(
        self,
        agent: str,
        solved_at: list[int | None],
        setting: str = ACROSS,
        fold: int = 0,
        settings: dict[str, Any] | None = None,
        tasks_in_all: int | None = None,
        **header: Any,
    ) -> Log:
        agent_settings = settings if settings is not None else {"ranked": 1000, "action_set": 0}
        count = tasks_in_all or len(solved_at)
        spec_fields = {
            name: header.pop(name) for name in ("tasks", "split", "limit", "attempts", "seed") if name in header
        }
        digest = header.pop("tasks_sha256", None)
        whole = header_for(
            PhyreRunSpec(agent, setting, fold, **spec_fields),
            agent_settings=agent_settings,
            digests={"agent_sha256": header.pop("agent_sha256", None), "tasks_sha256": digest},
            given=Given(tasks=("solutions",) if agent == "optimal" else ()),
            task_count=count,
            **header,
        )
        with open_log(self.folder / f"{len(self.logs)}.jsonl", whole) as log:
            for number, at in enumerate(solved_at):
                tried = range(1, (at or 3) + 1)
                rows = [{"attempt": k, "action": [0.5, 0.5, 0.5], "status": 1 if k == at else -1} for k in tried]
                log.add_task(f"00000:{number:03d}", [{**row, "steps": None} for row in rows])
            if len(solved_at) == count:
                log.finish()
        self.logs.append(log)
        return log

    def report(self, gifs: int = 0) -> Document:
        return compose(self.logs, gifs)


def tables(document: Document, caption: str) -> list[Table]:
    return [part for part in document.parts if isinstance(part, Table) and part.caption.startswith(caption)]


def row(table: Table, first: str) -> list[str]:
    """The scores of a row, after the agent's name and what it was given."""
    (cells,) = [list(map(str, cells)) for cells in table.rows if cells[0] == first]
    return cells[2 if table.header[1] == "given" else 1 :]


def texts(document: Document) -> str:
    return "\n".join(part.text for part in document.parts if isinstance(part, Paragraph | Heading))


def captions(document: Document) -> list[str]:
    return [part.caption for part in document.parts if isinstance(part, Figure)]


# Published results


def test_published_means_are_those_of_the_published_folds() -> None:
    """Table 1 against table 2, up to the rounding of both; the spread is that of a sample."""
    for setting, agents in paper.AUCCESS.items():
        for agent, (mean, spread) in agents.items():
            folds = paper.AUCCESS_BY_FOLD[setting][agent]
            assert abs(np.mean(folds) - mean) < 0.06
            assert abs(np.std(folds, ddof=1) - spread) < 0.06


def test_published_results_are_those_of_the_data(shared_data: Path) -> None:
    known = json.loads((shared_data / "phyre" / "published_results.json").read_text())
    for setting, choice in SETTINGS.items():
        key = f"{choice.tier}/{'cross' if choice.across_templates else 'within'}"
        for agent, folds in paper.AUCCESS_BY_FOLD[setting].items():
            assert np.allclose(folds, 100 * np.array(known["per_fold_auccess"][key][paper.NAMES[agent]]))
        at_10 = known["mean_and_std"]["success_at_10"][key]
        assert {paper.NAMES[agent]: mean for agent, (mean, _) in paper.SUCCESS_AT_10[setting].items()} == at_10
        if key in known["later_work_auccess"]:
            reported = {one.name: one.auccess for one in paper.LATER_WORK[setting] if one.attempts == 100}
            assert reported.items() >= known["later_work_auccess"][key].items()


def test_later_work_says_where_its_protocol_differs(made: Made) -> None:
    made.log("dqn", [1, None])
    (later,) = tables(made.report(), "Later work")
    rows = [list(map(str, row)) for row in later.rows]
    assert ["Neural Force Field 2026", "49.2", "folds not stated", "100", "states; 12,000 rollouts"] in rows
    comparable = [float(row[1]) for number, row in enumerate(rows) if number not in later.dimmed]
    assert max(comparable) == 42.2
    assert [row[1] for row in rows if row[3] == "10"] == ["24.8", "36.6"]


# Scores


def test_means_and_spread_over_folds_are_shown_with_the_published(made: Made) -> None:
    solved = [[1, None], [1, 1], [None, None], *[[1, None]] * 7]
    for fold, at in enumerate(solved):
        made.log("mem", at, fold=fold)
    document = made.report()
    (scores,) = tables(document, "AUCCESS")[:1]
    expected = [100 * phyre.auccess(at) for at in solved]
    assert row(scores, "MEM") == [f"{np.mean(expected):.1f} ± {np.std(expected, ddof=1):.1f}"]
    assert row(scores, "MEM as published") == ["18.5 ± 5.1"]
    (at_10,) = tables(document, "Tasks solved within 10 attempts")
    assert row(at_10, "MEM as published") == ["15.2 ± 5.9"]
    (folds,) = tables(document, "AUCCESS by fold")
    assert row(folds, "MEM") == [f"{score:.1f}" for score in expected]
    assert row(folds, "MEM as published")[:3] == ["20.6", "16.6", "20.0"]
    assert "± standard deviation over folds" in scores.caption
    assert "interval" not in scores.caption


def test_for_few_folds_the_published_mean_of_the_same_folds_is_shown(made: Made) -> None:
    for fold in (0, 4):
        made.log("mem", [1, None], fold=fold)
    (scores,) = tables(made.report(), "AUCCESS")[:1]
    assert row(scores, "MEM") == ["50.0 ± 0.0 (2 folds)"]
    assert row(scores, "MEM as published") == [f"18.5 ± 5.1 (2 folds {(20.59 + 11.59) / 2:.1f})"]


def test_notes_explain_differences_from_published_results(made: Made) -> None:
    made.log("rand", [1], WITHIN, settings={"ranked": 0, "seed": 0})
    made.log("mem", [1], WITHIN)
    text = texts(made.report())
    assert "imply an AUCCESS of 16.2 (PHYRE-B, within templates)" in text
    assert "MEM within templates are below those of random actions" in text


def test_repeats_are_averaged_and_variants_are_separate(made: Made) -> None:
    made.log("mem", [1, None], settings={"ranked": 1000, "action_set": 0})
    made.log("mem", [None, None], settings={"ranked": 1000, "action_set": 1})
    made.log("mem", [1, 1], settings={"ranked": 100, "action_set": 0})
    made.log("rand", [1], settings={"ranked": 0, "seed": 0})
    made.log("rand", [None], settings={"ranked": 1000, "seed": 0})
    document = made.report()
    (scores,) = tables(document, "AUCCESS")[:1]
    assert row(scores, "MEM, ranked 1,000") == ["25.0 [0.0, 50.0] (fold 0)"]  # tasks with 50 and 0 on average
    assert row(scores, "MEM, ranked 100") == ["100.0 [100.0, 100.0] (fold 0)"]
    assert row(scores, "RAND, independent draws") == ["100.0 (fold 0)"]
    assert row(scores, "RAND, fixed set of 1,000") == ["0.0 (fold 0)"]
    assert "Repeated runs of an agent on a fold" in texts(document)


def test_a_user_defined_agent_has_its_class_as_label_and_versions_are_separate(made: Made) -> None:
    made.log("/home/me/my_agent.py:Mine", [1], settings={}, agent_sha256="aaaaaaaa11")
    (scores,) = tables(made.report(), "AUCCESS")[:1]
    assert row(scores, "Mine") == ["100.0 (fold 0)"]
    made.log("/home/me/my_agent.py:Mine", [None], settings={}, agent_sha256="bbbbbbbb22")
    (scores,) = tables(made.report(), "AUCCESS")[:1]
    assert [cells[0] for cells in scores.rows] == ["Mine, file aaaaaaaa", "Mine, file bbbbbbbb"]


# Conditions


@pytest.mark.parametrize(
    "other",
    [
        {"attempts": 10},
        {"limit": 25},
        {"physics": "tumble-2d-0"},
        {"split": "validation"},
        {"tasks": "/home/me/mine.json", "tasks_sha256": "ab"},
    ],
)
def test_runs_under_other_conditions_have_their_own_section(made: Made, other: dict[str, Any]) -> None:
    made.log("mem", [1, 1])
    made.log("mem", [None, None], **other)
    document = made.report()
    first, second = (table for table in tables(document, "AUCCESS") if "by fold" not in table.caption)
    assert (row(first, "MEM"), row(second, "MEM")) == (
        ["100.0 [100.0, 100.0] (fold 0)"],
        ["0.0 [0.0, 0.0] (fold 0)"],
    )
    assert "2 different conditions" in texts(document)
    as_published = [cells[0] for cells in second.rows if "published" in cells[0]]
    assert bool(as_published) == ("physics" in other)


def test_unfinished_runs_are_marked_and_excluded_from_means(made: Made) -> None:
    made.log("mem", [1, None], fold=0)
    made.log("mem", [1, 1], fold=1, tasks_in_all=5)
    document = made.report()
    (scores,) = tables(document, "AUCCESS")[:1]
    assert row(scores, "MEM") == ["50.0 [0.0, 100.0] (fold 0)"]
    (folds,) = tables(document, "AUCCESS by fold")
    assert list(folds.header) == ["agent", "given", "fold 0", "fold 1"]  # no column for folds without a run
    assert row(folds, "MEM") == ["50.0", "100.0 *"]
    (unfinished,) = tables(document, "Unfinished runs")
    assert list(unfinished.rows[0])[:4] == ["MEM", "PHYRE-B, across templates", "1", "2 of 5"]
    assert "1 of them unfinished and excluded from all means" in texts(document)


def test_a_report_of_unfinished_runs_only(made: Made) -> None:
    made.log("mem", [], tasks_in_all=5)
    (unfinished,) = tables(made.report(), "Unfinished runs")
    assert list(unfinished.rows[0])[3] == "0 of 5"


def test_a_log_without_a_field_in_its_header_is_refused(made: Made) -> None:
    log = made.log("mem", [1])
    log.header.spec.pop("attempts")
    with pytest.raises(LogError, match="the fields of its header differ from those of phyre runs: attempts"):
        made.report()


# Attempts allowed


def test_labels_state_the_attempts_that_were_allowed(made: Made) -> None:
    made.log("mem", [1, 25, None], attempts=30)
    document = made.report()
    assert row(tables(document, "AUCCESS (over 100, 30 allowed), by tier")[0], "MEM")
    assert row(tables(document, "AUCCESS (over 100, 30 allowed) by fold")[0], "MEM")
    assert row(tables(document, "Tasks solved within 30 attempts, %")[0], "MEM")[0].startswith("66.7 [")
    (by_template,) = tables(document, "Tasks solved within 10 and 30 attempts, %, PHYRE-B")
    assert row(by_template, "00000 two_balls_apart") == ["33 / 67"]
    whole = " ".join([texts(document), *captions(document), *(table.caption for table in tables(document, ""))])
    assert "within 100" not in whole
    assert "100 attempts at each" not in whole.replace("The benchmark allows 100 attempts at each task", "")
    assert "Only 30 were allowed" in whole
    assert "Test sets, 30 attempts" in whole
    drawn = next(part.plot.svg for part in document.parts if isinstance(part, Figure))
    assert ">30</text>" in drawn


@pytest.mark.parametrize(
    ("attempts", "summary"),
    [
        (100, "AUCCESS 50.0; solved 50.0 % within 10 and 50.0 % within 100 attempts"),
        (30, "AUCCESS (over 100, 30 allowed) 50.0; solved 50.0 % within 10 and 50.0 % within 30 attempts"),
        (10, "AUCCESS (over 100, 10 allowed) 50.0; solved 50.0 % within 10 attempts"),
        (1, "AUCCESS (over 100, 1 allowed) 50.0; solved 50.0 % within 1 attempt"),
        (200, "AUCCESS (over 100, 200 allowed) 50.0; solved 50.0 % within 10 and 50.0 % within 200 attempts"),
    ],
)
def test_the_summary_of_a_run_states_the_attempts_that_were_allowed(made: Made, attempts: int, summary: str) -> None:
    assert result_of(made.log("mem", [1, None], attempts=attempts)).summary == summary
    made.report()


def test_an_interval_over_tasks_is_that_of_their_scores(made: Made) -> None:
    """AUCCESS is the mean over tasks of what each adds, so that its interval is that of a mean."""
    solved_at = [1, 3, 10, 30, None, None, 2, 99, None, 5] * 5
    made.log("mem", solved_at)
    (scores,) = tables(made.report(), "AUCCESS")[:1]
    (cell,) = (cell for cell in scores.rows[0] if isinstance(cell, Cell))
    each = [100.0 * phyre.auccess([at]) for at in solved_at]
    assert cell.values[""] == pytest.approx(100.0 * phyre.auccess(solved_at))
    half = 1.96 * np.std(each) / np.sqrt(len(each))
    assert cell.values["low"] == pytest.approx(np.mean(each) - half, abs=1.0)
    assert cell.values["high"] == pytest.approx(np.mean(each) + half, abs=1.0)


# Significance


def test_tests_between_agents_need_folds(made: Made) -> None:
    for fold in range(4):
        made.log("mem", [1], fold=fold)
        made.log("rand", [None], fold=fold, settings={"ranked": 0})
    assert tables(made.report(), "Wilcoxon") == []
    assert "too few folds" in texts(made.report())


def test_an_agent_that_wins_every_fold_is_significantly_better(made: Made) -> None:
    """Ten folds of ten: p = 2 ** -10, and the other way round 1."""
    for fold in range(FOLDS):
        made.log("mem", [1, *[None] * fold], fold=fold)
        made.log("rand", [2, *[None] * fold], fold=fold, settings={"ranked": 0})
        if fold < 3:
            made.log("mem-o", [1, *[None] * fold], fold=fold)
        made.log("optimal", [1], fold=fold)
    (tests,) = tables(made.report(), "Wilcoxon")
    assert list(tests.header) == ["better than …?", "RAND", "MEM", "MEM-O"]  # oracles are not compared
    assert row(tests, "MEM") == ["0.00098 *", "", "too few folds"]
    assert row(tests, "RAND") == ["", "1", "too few folds"]


# Analyses


def test_figures_of_settings_are_added_only_if_runs_differ_in_them(made: Made) -> None:
    made.log("mem", [1, None])
    made.log("mem-o", [1, None], settings={"ranked": 1000, "weight": 10.0})
    made.log("dqn", [1, None], settings=DQN)
    assert len(captions(made.report())) == 1  # success curves
    for weight in (1.0, 100.0):
        made.log("mem-o", [1, 1], settings={"ranked": 1000, "weight": weight})
    assert any("MEM-O by the weight of a test task" in caption for caption in captions(made.report()))
    made.log("mem", [1, 1], settings={"ranked": 100, "action_set": 0})
    assert any("size of the action set" in caption for caption in captions(made.report()))


def test_with_many_variants_the_curves_show_one_of_each_agent(made: Made) -> None:
    for ranked in (10, 100, 1000, 10_000, 100_000):
        made.log("mem", [1], settings={"ranked": ranked})
        made.log("optimal", [1], settings={"ranked": ranked})
    made.log("mem-o", [1], settings={"ranked": 1000, "weight": 10.0})
    figure = next(part for part in made.report().parts if isinstance(part, Figure))
    assert "Of each agent only the variant with most runs" in figure.caption
    for label in ("MEM, ranked 1,000", "OPTIMAL, ranked 1,000", "MEM-O"):
        assert f">{label}<" in figure.plot.svg
    assert "ranked 100<" not in figure.plot.svg


def test_the_offline_agent_is_the_left_end_of_online_strengths(made: Made) -> None:
    made.log("mem", [None, None])
    for weight in (1.0, 10.0):
        made.log("mem-o", [1, 1], settings={"ranked": 1000, "weight": weight})
    figure = next(
        part for part in made.report().parts if isinstance(part, Figure) and "weight of a test task" in part.caption
    )
    assert ">offline<" in figure.plot.svg


# Templates


def test_success_by_template(made: Made) -> None:
    made.log("mem", [1, 11, None, None])
    (table,) = tables(made.report(), "Tasks solved within 10 and 100")
    assert row(table, "00000 two_balls_apart") == ["25 / 50"]


def solved_log(folder: Path, **header: Any) -> Log:
    """A failed and a solved attempt at a task of each of three templates."""
    made = Made(folder)
    log = made.log("mem", [], tasks_in_all=3, **header)
    with open_log(log.path, {}) as log:
        for task_id in ("00000:000", "00001:000", "00003:001"):
            known = phyre.task(task_id)
            drawn = phyre.actions.sample_valid(known.scene, phyre.TIERS["B"], 40, np.random.default_rng(0))
            failing = drawn[phyre.Simulator([known], "B").pairs([task_id] * 40, drawn) == -1][0]
            tried = [(failing.tolist(), -1), (solution(task_id).tolist(), 1)]  # type: ignore[union-attr]
            rows = [{"attempt": k, "action": action, "status": status} for k, (action, status) in enumerate(tried, 1)]
            log.add_task(task_id, [{**row, "steps": None} for row in rows])
        log.finish()
    return log


def test_a_solved_and_a_failed_attempt_are_shown(tmp_path: Path) -> None:
    document = compose([solved_log(tmp_path)], gifs=2)
    (grid,) = [part for part in document.parts if isinstance(part, Pictures)]
    captions = [picture.caption for picture in grid.pictures]
    assert [re.split(r" (?:after|px|s[.:])", caption)[0] for caption in captions] == [
        "00000:000 two_balls_apart, attempt 2: solved",
        "00000:000 two_balls_apart, attempt 1: not solved; nearest",
        "00001:000 ball_to_side_wall, attempt 2: solved",
        "00001:000 ball_to_side_wall, attempt 1: not solved; nearest",
    ]
    for picture in grid.pictures:
        assert re.search(r"after \d+\.\d s", picture.caption)
        assert re.search(r"Goal: .+ \(green.*\) has to touch .+ for 3 seconds\.", picture.caption)
        svg = unquote(picture.url.removeprefix("data:image/svg+xml,"))
        moves = [element for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("animateTransform")]
        assert moves
        assert len(svg) < 40_000


@pytest.mark.parametrize("header", [{"physics": "tumble-2d-0"}, {"tasks": "/nowhere/mine.json", "tasks_sha256": "ab"}])
def test_runs_that_can_t_be_replayed_are_not_animated(tmp_path: Path, header: dict[str, Any]) -> None:
    document = compose([solved_log(tmp_path, **header)], gifs=2)
    assert not [part for part in document.parts if isinstance(part, Pictures)]
    assert tables(document, "AUCCESS")
