"""ComPhy's run logs and report: logs hold all answers, and published results are shown with ours."""

from pathlib import Path

import pytest
from run_headers import header_for
from sample_questions import question_set

from tumble.comphy.catalogue.task import CORRECT, WRONG, QuestionSet, task_id
from tumble.comphy.evaluation import published_results as paper
from tumble.comphy.evaluation.metrics import mark, mark_all
from tumble.comphy.evaluation.result import answers_of, marks_of, result_of, rows_of
from tumble.comphy.evaluation.run_spec import ComPhyRunSpec
from tumble.comphy.questions.program import Answers
from tumble.comphy.report import add_report
from tumble.comphy.report.scores import HEADER
from tumble.comphy.simulation.simulator import physics_id
from tumble.report.document import Document, Paragraph, Table
from tumble.runs.log import Log, LogError, open_log, read

SETS = [question_set(7), question_set(8)]
ANSWERS: Answers = {
    7: {0: "yes", 1: "blue and red", 2: {0: CORRECT, 1: WRONG}, 3: {0: CORRECT, 1: WRONG, 2: WRONG, 3: WRONG}},
    8: {0: "no", 2: {0: CORRECT}},
}


def log_of(
    folder: Path,
    model: str,
    answers: Answers,
    sets: list[QuestionSet] = SETS,
    finished: bool = True,
    inferred: str = "",
    given: str = "",
    trained: str = "",
    left_out: tuple[int, ...] = (),
    concepts: str = "",
    world: str = "plain",
) -> Log:
    header = header_for(
        ComPhyRunSpec(model, "data"),
        agent_settings={"seed": 0},
        digests={"questions_sha256": "same"},
        task_count=len(SETS),
        physics=physics_id(world),
        details={"question_count": 8},
    )
    with open_log(folder / f"{model}.jsonl", header) as log:
        for own in sets:
            marks = [] if own.index in left_out else mark(own, answers.get(own.index, {}))
            why = "unreadable files: damaged" if own.index in left_out else ""
            log.add_task(task_id(own.index), rows_of(marks, inferred, given, trained, concepts), why)
        if finished:
            log.finish()
    return log


def compose(logs: list[Log]) -> Document:
    document = Document("Tumble: models on ComPhy")
    add_report(document, logs)
    return document


def text_of(document: Document) -> str:
    return " ".join(part.text for part in document.parts if isinstance(part, Paragraph))


def tables(document: Document) -> dict[str, Table]:
    return {part.caption: part for part in document.parts if isinstance(part, Table)}


def main_table(document: Document) -> dict[str, dict[str, str]]:
    (main,) = (table for caption, table in tables(document).items() if caption.startswith("Correct answers, %"))
    return {str(row[0]): dict(zip(HEADER, map(str, row), strict=True)) for row in main.rows}


@pytest.mark.parametrize("finished", [True, False])
def test_a_log_keeps_every_answer(tmp_path: Path, finished: bool) -> None:
    """As JSON lines and as Parquet."""
    log = read(log_of(tmp_path, "random", ANSWERS, finished=finished).path)
    assert list(marks_of(log)) == mark_all(SETS, ANSWERS)
    assert answers_of(log, SETS) == ANSWERS


def test_a_damaged_row_is_reported(tmp_path: Path) -> None:
    log = read(log_of(tmp_path, "random", ANSWERS, finished=False).path)
    log.tasks["00007"][2]["kind"] = "psychic"
    with pytest.raises(LogError, match="set 00007, question 2: damaged"):
        list(marks_of(log))


def test_accuracies_have_option_histograms_and_published_results(tmp_path: Path) -> None:
    rows = main_table(compose([log_of(tmp_path, "random", ANSWERS)]))
    own = rows["random"]
    assert own["factual"] == "50.0 [0.0, 100.0]"  # one of the two sets is right, the other wrong
    assert (own["predictive, per option"], own["predictive, per question"]) == (
        "75.0 [50.0, 100.0]",
        "50.0 [0.0, 100.0]",
    )
    assert own["counterfactual, per option"] == "37.5 [0.0, 75.0]"
    assert own["counterfactual, per question"] == "0.0 [0.0, 0.0]"
    assert (own["predictive, options"], own["counterfactual, options"]) == ("2: 2", "4: 2")
    published = rows["Random as published"]
    assert (published["factual"], published["counterfactual, per question"]) == ("29.7", "9.1")
    assert published["predictive, options"] == "2: 761, 3: 11, 4: 206"
    assert rows["CPL-DPI as published"]["factual"] == "-"
    assert len(rows) == 1 + len(paper.TABLE_3) + len(paper.TABLE_5)


def test_runs_of_the_div_world_are_beside_table_8(tmp_path: Path) -> None:
    logs = [log_of(tmp_path, model, ANSWERS, world="div") for model in ("random", "cpl", "pcr")]
    rows = main_table(compose(logs))
    published = rows["Random as published"]
    assert (published["factual"], published["counterfactual, per question"]) == ("1.8", "24.0")
    assert published["predictive, options"] == "-"
    assert rows["PCR as published"]["factual"] == "68.4"
    assert "CPL as published" not in rows
    assert len(rows) == len(logs) + len(paper.TABLE_8)
    (caption,) = (caption for caption in tables(compose(logs)) if caption.startswith("Correct answers, %"))
    assert "table 8, on their diverse split" in caption


def test_worlds_have_sections_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "div").mkdir()
    logs = [log_of(tmp_path, "random", ANSWERS), log_of(tmp_path / "div", "random", ANSWERS, world="div")]
    captions = [caption for caption in tables(compose(logs)) if caption.startswith("Correct answers, %")]
    assert ["tables 3 and 5" in caption for caption in captions] == [True, False]
    assert ["table 8" in caption for caption in captions] == [False, True]


@pytest.mark.parametrize("world", ["plain", "div"])
def test_published_ablations_are_beside_runs_of_the_plain_world_alone(world: str, tmp_path: Path) -> None:
    document = compose([log_of(tmp_path, "pcr-without-references", ANSWERS, world=world)])
    (caption,) = (caption for caption in tables(document) if caption.startswith("PCR without"))
    names = [str(row[0]) for row in tables(document)[caption].rows]
    assert ("table 6" in caption) == ("PCR w/o R as published" in names) == (world == "plain")


def test_what_models_were_given_is_shown_and_missing_in_older_logs(tmp_path: Path) -> None:
    logs = [
        log_of(tmp_path, "shown", ANSWERS, given="tracks"),
        log_of(tmp_path, "frequent", ANSWERS, given="questions", trained="truth"),
        log_of(tmp_path, "random", ANSWERS),
    ]
    document = compose(logs)
    rows = main_table(document)
    assert [rows[name]["given"] for name in ("shown", "frequent", "random")] == [
        "tracks",
        "questions, trained with truth",
        "-",
    ]
    assert rows["Random as published"]["given"] == "questions"
    assert rows["CPL as published"]["given"] == "videos, trained with truth"
    assert "what is above it is reasoning" in text_of(document)
    assert "There is no run of" not in text_of(document)
    assert "There is no run of" in text_of(compose(logs[1:]))


def test_sets_that_could_not_be_read_are_counted(tmp_path: Path) -> None:
    log = read(log_of(tmp_path, "random", ANSWERS, left_out=(8,)).path)
    result = result_of(log)
    assert result.left_out == 1
    assert "1 set with damaged or missing annotations left out" in result.summary
    assert "set 00008 is left out: unreadable files: damaged" in result.warning
    assert len(result.marks) == 4
    document = compose([log])
    assert "random: 1 set with damaged or missing annotations left out." in text_of(document)
    assert main_table(document)["random"]["factual"].startswith("100.0")


def test_unanswered_questions_and_unfinished_runs_are_reported(tmp_path: Path) -> None:
    logs = [log_of(tmp_path, "random", ANSWERS), log_of(tmp_path, "frequent", ANSWERS, SETS[:1], finished=False)]
    document = compose(logs)
    text = text_of(document)
    assert "random left 3 questions unanswered, which count as wrong." in text
    assert tables(document)["Unfinished runs"].rows == [["frequent", "1 of 2", "frequent.jsonl"]]
    assert "frequent" not in main_table(document)


def test_inferred_properties_are_counted(tmp_path: Path) -> None:
    document = compose([log_of(tmp_path, "simulation", ANSWERS, inferred="masses")])
    table = tables(document)["Sets whose hidden properties were inferred correctly, %"]
    assert [list(map(str, row)) for row in table.rows] == [["simulation", "-", "2", "100.0", "0.0", "0.0"]]


def test_the_published_tables_are_the_papers(shared_data: Path) -> None:
    import json

    published = json.loads((shared_data / "comphy" / "published_results.json").read_text())["tables"]
    for name, own in (("table3", paper.TABLE_3), ("table5", paper.TABLE_5), ("table6", paper.TABLE_6)):
        rows = {row["method"]: tuple(row[key] for key in paper.Accuracies._fields) for row in published[name]["rows"]}
        assert rows == {method: tuple(row) for method, row in own.items()}
    rows = {row["method"]: row for row in published["table7"]["rows"]}
    own_rows = {method: {"method": method, **row.by_concept} for method, row in paper.TABLE_7.items()}
    assert rows == own_rows


def test_ablations_stand_beside_the_published_ones(tmp_path: Path) -> None:
    logs = [log_of(tmp_path, "pcr", ANSWERS), log_of(tmp_path, "pcr-without-references", ANSWERS)]
    (table,) = (table for caption, table in tables(compose(logs)).items() if "table 6" in caption)
    assert [str(row[0]) for row in table.rows] == [
        "pcr-without-references",
        "PCR w/o R as published",
        "pcr",
        "PCR as published",
    ]
    assert str(table.rows[1][2]) == "68.7"
    assert not any("table 6" in caption for caption in tables(compose(logs[:1])))


def test_concepts_are_counted_over_sets_with_the_published_ones(tmp_path: Path) -> None:
    text = "color 3/3 0/0, mass 3/4 0/1, charge 4/4 0/0"
    document = compose([log_of(tmp_path, "pcr", ANSWERS, inferred="charges", concepts=text)])
    (table,) = (table for caption, table in tables(document).items() if "table 7" in caption)
    own, published = (dict(zip(table.header, map(str, row), strict=True)) for row in table.rows)
    assert (own["color"], own["mass"], own["mass, balanced"], own["shape"]) == ("100.0", "75.0", "50.0", "-")
    assert (published["model"], published["charge"]) == ("PCR as published", "68.1")
    properties = tables(document)["Sets whose hidden properties were inferred correctly, %"]
    assert [str(cell) for cell in properties.rows[0]] == ["pcr", "mass", "2", "0.0", "100.0", "0.0"]
    no_bodies = compose([log_of(tmp_path, "random", ANSWERS)])
    assert not any("table 7" in caption for caption in tables(no_bodies))
