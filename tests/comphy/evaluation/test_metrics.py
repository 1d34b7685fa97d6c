"""Scores: what counts as correct, per option and per question, and which answers are refused."""

import pytest
from sample_questions import factual, multiple, question_set

from tumble.comphy.catalogue.task import CORRECT, WRONG, QuestionSet
from tumble.comphy.evaluation.metrics import ScoringError, by_family, by_kind, mark, mark_all, missing_answers, tally
from tumble.comphy.questions.program import Answers

CORRECT_ANSWERS: dict[int, object] = {
    0: "yes",
    1: "blue and red",
    2: {0: CORRECT, 1: WRONG},
    3: {0: CORRECT, 1: WRONG, 2: WRONG, 3: CORRECT},
}


def test_correct_answers_are_100_percent_of_every_kind() -> None:
    for own in by_kind(mark(question_set(), CORRECT_ANSWERS)).values():  # type: ignore[arg-type]
        assert own.per_option == own.per_question == 100.0
        assert own.unanswered == 0


def test_a_pair_is_correct_in_either_order_but_not_with_another_colour() -> None:
    asked = QuestionSet(0, (factual(0, "?", "query_both_color", "red and blue"),))
    correct = {"red and blue": True, "blue and red": True, "red and red": False, "red": False, "blue and green": False}
    assert {answer: mark(asked, {0: answer})[0].all_correct for answer in correct} == correct


def test_accuracy_per_option_and_per_question() -> None:
    """One of four options wrong: 75 % of options, 0 % of questions."""
    answers = {**CORRECT_ANSWERS, 3: {0: CORRECT, 1: WRONG, 2: WRONG, 3: WRONG}}
    own = by_kind(mark(question_set(), answers))["counterfactual"]  # type: ignore[arg-type]
    assert (own.per_option, own.per_question, own.histogram) == (75.0, 0.0, "4: 1")


def test_guessing_answers_a_sixteenth_of_questions_with_four_options() -> None:
    """All sixteen ways to answer: half of the options, one question."""
    asked = QuestionSet(0, tuple(multiple(k, "counterfactual", "cwwc") for k in range(16)))
    answers = {k: {bit: CORRECT if k >> bit & 1 else WRONG for bit in range(4)} for k in range(16)}
    own = tally(mark(asked, answers))
    assert (own.per_option, own.per_question) == (50.0, 100.0 / 16)


def test_unanswered_questions_are_wrong_and_counted() -> None:
    sets = [question_set(7), question_set(8), question_set(9)]
    answers: Answers = {7: CORRECT_ANSWERS, 8: {0: "yes", 1: "red and blue", 2: {0: CORRECT}}}  # type: ignore[dict-item]
    total = tally(mark_all(sets, answers))
    assert (total.questions, total.correct_questions, total.unanswered) == (12, 6, 6)
    assert (total.parts, total.correct_parts) == (24, 8 + 3)
    messages = "\n".join(missing_answers(sets, answers))
    assert "set 00009: not answered" in messages
    assert "set 00008, question 3: not answered" in messages
    assert "set 00008, question 2: no answer to option 1" in messages


def test_tallies_by_template() -> None:
    tallies = by_family(mark(question_set(), {0: "no", 1: "red and blue"}))
    assert tallies["factual", "object_exist"].per_question == 0.0
    assert tallies["factual", "object_query_both_color"].per_question == 100.0


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ({9: {}}, "set 00009: there are no questions about it"),
        ({7: {5: "yes"}}, "set 00007: there is no question 5; there are 0, 1, 2, 3"),
        ({7: {2: {4: CORRECT}}}, "question 2: there is no option 4; there are 0, 1"),
        ({7: {2: {1: "yes"}}}, "the answer must be 'correct' or 'wrong', not 'yes'"),
        ({7: {2: "correct"}}, "question 2 has options"),
        ({7: {0: {0: CORRECT}}}, "question 0 is factual"),
    ],
)
def test_answers_to_unknown_questions_are_refused(answers: Answers, why: str) -> None:
    with pytest.raises(ScoringError, match=why):
        mark_all([question_set()], answers)


def test_withheld_answers_cannot_be_scored() -> None:
    with pytest.raises(ScoringError, match="withheld"):
        mark(QuestionSet(0, (factual(0, "?", "exist", None),)), {0: "yes"})
