"""ComPhy's questions as puzzles for language models: true answers score 100 %, and prompts show only what is seen."""

import json
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from generated_dataset import made
from PIL import Image
from written_runs import records_of, written_run

from tumble.comphy.benchmark import COMPHY
from tumble.comphy.catalogue.task import CORRECT, Question
from tumble.comphy.evaluation.answer_key import observe_set
from tumble.comphy.generation.generate import generate
from tumble.comphy.llm.prompts import LETTERS
from tumble.comphy.llm.puzzle_set import ComphyPuzzles, puzzles, shown_parts
from tumble.comphy.llm.settings import PuzzleSettingsError
from tumble.comphy.llm.videos import sampled_frames, table_places, track_table
from tumble.comphy.observation.camera import CAMERA
from tumble.llm.dialogue import Dialogue
from tumble.llm.puzzle import Message, Picture, PuzzleError, PuzzleSet, prompt_digest

SMALL = {"frames": 4, "reference_frames": 2, "width": 48}
ACCURACIES = {
    "factual",
    "predictive_per_option",
    "predictive_per_question",
    "counterfactual_per_option",
    "counterfactual_per_question",
}


@pytest.fixture(scope="module")
def without_videos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three sets without videos, all in the test split."""
    folder = tmp_path_factory.mktemp("comphy-llm") / "data"
    generate(folder, sets=3, seed=2, video=False, split="test", workers=1)
    return folder


def true_answer(question: Question) -> dict[str, Any]:
    if not question.choices:
        return {"answer": question.answer}
    chosen = zip(question.choices, LETTERS, strict=False)
    return {"correct": [letter for choice, letter in chosen if choice.answer == CORRECT]}


def reply_to_all(posed: PuzzleSet, texts: dict[str, list[str]]) -> tuple[dict[str, float], list[str]]:
    """The scores of some replies to each puzzle, and how the answers were."""
    records: dict[str, Any] = {}
    kinds = []
    for task_id in posed.ids:
        dialogue = Dialogue(posed.puzzle(task_id))
        for text in texts[task_id]:
            assert not dialogue.over
            dialogue.reply(text)
        assert dialogue.over
        records[task_id] = [json.loads(json.dumps(turn.json()["record"])) for turn in dialogue.turns if turn.counts]
        kinds += [turn.kind for turn in dialogue.turns]
    return posed.scores(records), kinds


def questions_of(posed: ComphyPuzzles) -> dict[str, Question]:
    return {task_id: question for task_id, (_, question) in posed._questions.items()}


@pytest.mark.parametrize("mode", ["text", "picture", "both"])
def test_true_answers_score_100_per_cent(mode: str, without_videos: Path) -> None:
    posed = puzzles({"data": str(without_videos), "mode": mode, **SMALL})
    replies = {task_id: [json.dumps(true_answer(own))] for task_id, own in questions_of(posed).items()}
    scores, kinds = reply_to_all(posed, replies)
    assert scores == {**dict.fromkeys(ACCURACIES, 100.0), "unanswered": 0.0, "errors": 0.0}
    assert set(kinds) == {"valid"}


def test_wrong_and_unreadable_answers_count_as_such(without_videos: Path) -> None:
    posed = puzzles({"data": str(without_videos)})
    replies = {}
    for k, (task_id, own) in enumerate(questions_of(posed).items()):
        if k % 2:
            replies[task_id] = ["I can't see anything.", "{]"]
        elif own.choices:
            wrong = [letter for choice, letter in zip(own.choices, LETTERS, strict=False) if choice.answer != CORRECT]
            replies[task_id] = [json.dumps({"correct": wrong})]
        else:
            values = next(iter(posed.puzzle(task_id).schema["properties"].values()))["enum"]
            replies[task_id] = [json.dumps({"answer": next(word for word in values if str(word) != own.answer)})]
    scores, kinds = reply_to_all(posed, replies)
    assert {scores[name] for name in ACCURACIES} == {0.0}
    assert scores["unanswered"] == kinds.count("malformed") == len(posed.ids) // 2


def test_scores_of_options_and_questions_differ(without_videos: Path) -> None:
    posed = puzzles({"data": str(without_videos)})
    replies = {}
    for task_id, own in questions_of(posed).items():
        answer = true_answer(own)
        if own.choices:
            answer["correct"] = sorted(set(answer["correct"]) ^ {"A"})
        replies[task_id] = [json.dumps(answer)]
    scores, _ = reply_to_all(posed, replies)
    asked = [own for own in questions_of(posed).values() if own.kind == "counterfactual"]
    options = sum(len(own.choices) for own in asked)
    assert scores["factual"] == 100.0
    assert scores["counterfactual_per_question"] == 0.0
    assert scores["counterfactual_per_option"] == pytest.approx(100.0 * (options - len(asked)) / options)


def test_a_question_without_a_record_is_unanswered(without_videos: Path) -> None:
    posed = puzzles({"data": str(without_videos)})
    first = posed.ids[0]
    assert posed.scores({first: []}) == {"factual": 0.0, "unanswered": 1.0, "errors": 0.0}


def test_records_are_rows_of_a_run_log_and_say_what_was_given(without_videos: Path) -> None:
    for mode, given in (("text", "tracks"), ("picture", "videos"), ("both", "tracks")):
        posed = puzzles({"data": str(without_videos), "mode": mode, **SMALL})
        task_id, own = next((name, own) for name, own in questions_of(posed).items() if own.choices)
        puzzle = posed.puzzle(task_id)
        record = puzzle.attempt(puzzle.read(true_answer(own))).record
        assert f"{record['task']}/{record['attempt'] - 1}" == task_id
        assert record["given"] == given
        assert record["answer"].split(",") == [choice.answer for choice in own.choices]
        assert puzzle.over


def test_rows_of_a_run_log_are_those_of_sets_whose_questions_were_all_asked(without_videos: Path) -> None:
    posed = puzzles({"data": str(without_videos)})
    records: dict[str, Any] = {}
    for task_id, own in list(questions_of(posed).items())[:-1]:
        puzzle = posed.puzzle(task_id)
        records[task_id] = [puzzle.attempt(puzzle.read(true_answer(own))).record]
    records[posed.ids[0]] = []
    rows = posed.task_rows(records)
    assert list(rows) == ["00000", "00001"]
    assert [f"00000/{row['attempt'] - 1}" for row in rows["00000"]] == [one for one in posed.ids if one[:5] == "00000"]
    assert [row["status"] for row in rows["00000"]] == [0] + [1] * (len(rows["00000"]) - 1)
    assert all({**row, "task": "00001"} == records[f"00001/{row['attempt'] - 1}"][0] for row in rows["00001"])


def test_answers_become_a_run_log_that_is_scored_again(without_videos: Path, tmp_path: Path) -> None:
    posed = puzzles({"data": str(without_videos), "sets": 2})
    asked = questions_of(posed)
    answers = {task_id: [json.dumps(true_answer(own))] for task_id, own in asked.items()}
    unread, flawed = next(iter(asked)), next(task_id for task_id, own in asked.items() if own.choices)
    answers[unread] = ["I can't see anything.", "{]"]
    letters = set(true_answer(asked[flawed])["correct"]) ^ {"A"}
    answers[flawed] = [json.dumps({"correct": sorted(letters)})]
    log = written_run(posed, records_of(posed, answers), tmp_path)
    assert log.finished
    assert list(log.tasks) == ["00000", "00001"]
    statuses = {f"{row['task']}/{row['attempt'] - 1}": row["status"] for row in log.rows()}
    assert statuses == {**dict.fromkeys(posed.ids, 1), unread: 0, flawed: -1}
    assert COMPHY.replay(log, lambda _: None) == ""
    row = next(row for row in log.tasks["00000"] if f"00000/{row['attempt'] - 1}" == flawed)
    row["correct"] = [True] * len(row["correct"])
    assert f"task 00000, attempt {row['attempt']}: the log says correct" in COMPHY.replay(log, lambda _: None)


@pytest.mark.parametrize(
    ("selection", "options"),
    [
        ({}, None),
        ({"sets": 2, "every": 2, "frames": 8}, "every 2"),
        ({"mode": "picture", "every": 2, "frames": 8}, "frames 8"),
        ({"mode": "both", "width": 48, "limit": 1000}, "width 48"),
    ],
)
def test_the_run_specification_has_the_same_sets(
    selection: dict[str, Any], options: str | None, without_videos: Path
) -> None:
    posed = puzzles({"data": str(without_videos), **selection})
    spec = posed.spec("mockllm/model", {"temperature": 0.5})
    assert spec.task_ids() == sorted({task_id.partition("/")[0] for task_id in posed.ids})
    assert spec.settings.get("options") == options
    assert spec.settings["temperature"] == 0.5
    assert spec.header().given_settings == spec.settings


def test_some_questions_about_a_set_have_no_run_specification(without_videos: Path) -> None:
    with pytest.raises(PuzzleError, match=r"answers to 6 of .* select a number of sets"):
        puzzles({"data": str(without_videos), "limit": 6}).spec("mockllm/model", {})


@pytest.mark.parametrize("mode", ["text", "picture"])
def test_the_same_settings_give_the_same_bytes(mode: str, without_videos: Path) -> None:
    selection = {"data": str(without_videos), "mode": mode, **SMALL}
    opened = []
    for _ in range(2):
        shown_parts.cache_clear()
        posed = puzzles(selection)
        opened.append([prompt_digest(posed.puzzle(task_id).opening()) for task_id in posed.ids[:8]])
    assert opened[0] == opened[1]
    assert len(set(opened[0])) == len(opened[0])


def test_a_change_of_the_text_of_prompts_needs_a_new_version(without_videos: Path) -> None:
    posed = COMPHY.puzzles({"data": str(without_videos)})
    messages = [message for task_id in posed.ids for message in posed.puzzle(task_id).opening()]
    assert (posed.prompt_version, prompt_digest(messages)) == ("comphy-1", "fb755ff74b0f534f")


def test_prompts_have_the_question_its_options_and_nothing_hidden(without_videos: Path) -> None:
    posed = puzzles({"data": str(without_videos)})
    for task_id, own in questions_of(posed).items():
        system, user = posed.puzzle(task_id).opening()
        assert own.text in user.text
        assert all(
            f"{letter}: {choice.text}\n" in user.text for choice, letter in zip(own.choices, LETTERS, strict=False)
        )
        tables = "\n".join(part for part in user.parts[:-1] if isinstance(part, str))
        assert not re.search("heavy|light|charge|mass", tables)
        assert max(float(time) for time in re.findall(r"^(\d\.\d\d); ", tables, re.MULTILINE)) == 4.96
        assert system.role == "system"


def test_tables_have_the_places_in_view_and_dashes_elsewhere(without_videos: Path) -> None:
    seen = observe_set(without_videos, 0)
    track = seen.target.track
    title, heads, *rows = track_table("Target", seen.appearances, seen.target, 5).splitlines()
    assert title == "Target"
    assert heads == "; ".join(["time", *map(" ".join, seen.appearances)])
    frames = sampled_frames(track.frames, 5)
    assert len(rows) == len(frames) == 26
    places = table_places(track.positions)
    for frame, row in zip(frames, rows, strict=True):
        time, *cells = row.split("; ")
        assert float(time) == frame / 25
        for body, cell in enumerate(cells):
            assert (cell == "-") == (not track.in_view[frame, body])
            if cell != "-":
                assert np.allclose(list(map(float, cell.split())), places[frame, body], atol=0.0051)


def test_x_is_to_the_right_and_y_up_in_the_picture() -> None:
    corners = np.array([[0.3, 0.1, 0.2], [-0.5, 0.7, 0.2], [0.0, 0.0, 0.2], [0.8, -0.6, 0.2]])
    places, seen = table_places(corners), CAMERA.project(corners)
    assert np.array_equal(np.argsort(places[:, 0]), np.argsort(seen[:, 0]))
    assert np.array_equal(np.argsort(places[:, 1]), np.argsort(-seen[:, 1]))


def pictures_of(messages: tuple[Message, ...]) -> list[Picture]:
    return [part for message in messages for part in message.parts if isinstance(part, Picture)]


def test_pictures_are_those_of_the_videos_or_rendered(without_videos: Path) -> None:
    for data in (made(), without_videos):
        posed = puzzles({"data": str(data), "mode": "picture", **SMALL})
        target, references = pictures_of(posed.puzzle(posed.ids[0]).opening())
        assert "4 frames" in target.caption
        assert "1 to 4" in references.caption
        sizes = [Image.open(BytesIO(sheet.png)).size for sheet in (target, references)]
        assert sizes == [(2 * 48 + 6, 2 * 50), (2 * 48 + 6, 4 * 50)]
        assert np.asarray(Image.open(BytesIO(target.png)))[:32, :48].std() > 1.0


def test_a_limit_is_spread_over_kinds(without_videos: Path) -> None:
    posed = puzzles({"data": str(without_videos), "limit": 6})
    kinds = [own.kind for own in questions_of(posed).values()]
    assert len(kinds) == 6
    assert kinds.count("counterfactual") >= 2
    assert kinds.count("factual") >= 2
    whole = puzzles({"data": str(without_videos), "sets": 1}).ids
    assert {task_id.partition("/")[0] for task_id in whole} == {"00000"}
    assert [posed.template(task_id) for task_id in posed.ids] == [posed.puzzle(one).template for one in posed.ids]


@pytest.mark.parametrize(
    ("selection", "problem"),
    [
        ({}, "name the folder of a dataset"),
        ({"frames": 1}, "frames: "),
        ({"mode": "sound"}, "mode: "),
        ({"fold": 0}, "no setting 'fold'"),
    ],
)
def test_unknown_settings_are_named(selection: dict[str, Any], problem: str, without_videos: Path) -> None:
    given = {"data": str(without_videos), **selection} if selection else {}
    with pytest.raises(PuzzleSettingsError, match=problem):
        puzzles(given)


def test_standard_errors_are_clustered_by_set(without_videos: Path) -> None:
    posed = puzzles({"data": str(without_videos)})
    assert {posed.cluster(task_id) for task_id in posed.ids} == {"00000", "00001", "00002"}
    assert all(task_id.startswith(f"{posed.cluster(task_id)}/") for task_id in posed.ids)


def test_an_unknown_question_is_named(without_videos: Path) -> None:
    with pytest.raises(PuzzleSettingsError, match="no question '99999/0'"):
        puzzles({"data": str(without_videos)}).puzzle("99999/0")
