"""The programs that measure scripted models: what scripts are asked, and what is made of their answers."""

import csv
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="needs inspect_ai: pip install tumble[llm]")

import table
from guess import ATTEMPTS, GuessPuzzle
from llm_solutions import interval, rand_scores
from llm_tokens import CHARACTERS_PER_TOKEN, cost, tokens
from numpy import array
from phyq_script import until_won
from phyre_script import failing_actions, solutions
from scripted_model import Request, evaluate, malformed, metrics

from tumble.llm.dialogue import Dialogue
from tumble.llm.puzzle import Message
from tumble.phyre.llm.puzzle_set import PhyrePuzzles


def request(*counts: bool, replies: int = 0) -> Request:
    return Request("task", replies, [{"counts": one} for one in counts])


def test_a_request_says_which_attempt_and_which_part_of_it_is_next() -> None:
    assert (request().attempts, request().parts) == (0, 0)
    assert (request(False, False).attempts, request(False, False).parts) == (0, 2)
    assert (request(False, True, True, False).attempts, request(False, True, True, False).parts) == (2, 1)


def test_half_of_the_answers_are_malformed_and_the_same_every_time() -> None:
    script = malformed(lambda _: "good", seed=3)
    texts = [script(request(replies=number)) for number in range(400)]
    assert texts == [malformed(lambda _: "good", seed=3)(request(replies=number)) for number in range(400)]
    assert 150 < texts.count("good") < 250
    pairs = {(one == "good", other == "good") for one, other in pairwise(texts)}
    assert len(pairs) == 4  # not by turns


@pytest.mark.filterwarnings("ignore")
def test_a_script_is_evaluated_like_a_model(tmp_path: Path) -> None:
    finished: list[int] = []
    asked: list[Request] = []

    def second_time(given: Request) -> str:
        asked.append(given)
        return solutions(given) if given.attempts else '{"x": 30, "y": 240, "radius": 4}'

    ids = ["00000:000", "00002:007"]
    log = evaluate("phyre", {"ids": ids, "attempts": 2}, second_time, tmp_path, finished.append)
    assert sum(finished) == 2
    assert metrics(log)["success_within_1"] == 0.0
    assert metrics(log)["success_within_2"] == 1.0
    assert sorted((one.task, one.replies, one.attempts) for one in asked) == [
        (name, k, k) for name in ids for k in (0, 1)
    ]


def test_one_more_run_may_differ_by_three_standard_deviations() -> None:
    mean, most = interval([1.0, 2.0, 3.0])
    assert mean == 2.0
    assert most == pytest.approx(3.0 * (1 + 1 / 3) ** 0.5)


def test_scores_of_the_agent_are_those_of_its_first_successes() -> None:
    scores = rand_scores({"a": array([-1, 1]), "b": array([-1, -1]), "c": array([1, 1])})
    assert scores["success_within_1"] == pytest.approx(1 / 3)
    assert scores["success_within_2"] == pytest.approx(2 / 3)
    assert "success_within_5" not in scores


def test_attempts_after_a_win_are_left_out() -> None:
    rows = [{"status": status} for status in (-1, 1, 1)]
    assert until_won(rows) == rows[:2]
    assert until_won(rows[:1]) == rows[:1]


def test_tokens_of_a_dialogue() -> None:
    def wrong(_: Request) -> str:
        return '{"guess": 1}'

    dialogue = Dialogue(GuessPuzzle("odd:1", "text", ATTEMPTS))
    opening = tokens(dialogue.messages)
    assert tokens([Message("user", ("x" * 35,))]) == 35 / CHARACTERS_PER_TOKEN
    found = cost(dialogue, wrong, 2)
    assert found is not None
    told, again = dialogue.messages[3], dialogue.messages[:4]
    assert (found.opening, found.feedback) == (opening, tokens([told]))
    assert found.attempt == pytest.approx(tokens(again))
    assert found.requests == pytest.approx(opening + tokens(again))
    assert cost(Dialogue(GuessPuzzle("odd:1", "text", ATTEMPTS)), lambda _: '{"guess": 0}', 1) is None
    only = cost(Dialogue(GuessPuzzle("odd:1", "text", ATTEMPTS)), wrong, 0)
    assert only is not None
    assert (only.opening, only.feedback, only.requests) == (opening, 0.0, opening)


def test_failing_actions_are_attempts_that_fail() -> None:
    puzzles = PhyrePuzzles({"ids": ["00000:000"], "attempts": 3})
    script = failing_actions(puzzles.ids, 2)
    dialogue = Dialogue(puzzles.puzzle("00000:000"))
    for number in range(2):
        dialogue.reply(script(Request("00000:000", number, [])))
    assert [(turn.kind, turn.counts, turn.solved) for turn in dialogue.turns] == [("valid", True, False)] * 2


def test_rows_that_are_not_measured_again_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "RESULTS", tmp_path)
    first, second = table.Results("first"), table.Results("second")
    first.add("a", "1")
    first.add("b", "1", note="kept, with a comma")
    first.finish("parts")
    second.add("a", "2")
    second.keep_others("parts")
    second.finish("parts")
    with table.csv_path("parts").open(newline="") as stream:
        rows: list[Mapping[str, Any]] = list(csv.DictReader(stream))
    assert [(row["figure"], row["value"], row["note"]) for row in rows] == [
        ("b", "1", "kept, with a comma"),
        ("a", "2", ""),
    ]
