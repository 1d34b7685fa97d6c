"""Agents that use no video: what they can learn, and that they are deterministic."""

from collections import Counter

import pytest
from sample_questions import factual, multiple

from tumble.comphy import agents
from tumble.comphy.agents import Agent, AgentInputError, Task
from tumble.comphy.catalogue.task import CORRECT, WRONG, Question, QuestionSet
from tumble.comphy.dataset.question_files import without_answers
from tumble.comphy.evaluation.metrics import by_kind, mark_all
from tumble.draws import Draws
from tumble.runs.participant import AgentError

BLIND = ("random", "frequent", "blind-lstm")


def tasks_of(*sets: QuestionSet) -> list[Task]:
    """Tasks with questions only: an agent that asks for more fails."""
    return [Task(one) for one in sets]


def biased_sets(count: int, first: int = 0) -> list[QuestionSet]:
    """Red things exist, blue ones don't; 3 of 4 options with a cube are correct, all others are wrong."""
    sets = []
    for index in range(first, first + count):
        draws = Draws(f"biased {index}")
        colour = draws.one_of(("red", "blue"))
        shape = draws.one_of(("cube", "sphere"))
        questions: list[Question] = [
            factual(
                0, f"Are there any {colour} things?", "objects filter_color exist", "yes" if colour == "red" else "no"
            ),
            factual(1, "How many things are there?", "objects count", draws.one_of(("2", "3", "3", "3", "4"))),
            multiple(
                2,
                "counterfactual",
                "c" if shape == "cube" and draws.between(0, 1) < 0.75 else "w",
                (f"The {shape} hits it.",),
            ),
        ]
        sets.append(QuestionSet(index, tuple(questions)))
    return sets


def answers_of(agent: Agent, sets: list[QuestionSet]) -> dict:  # type: ignore[type-arg]
    return {one.questions.index: agent.answer(one) for one in tasks_of(*map(without_answers, sets))}


@pytest.mark.parametrize("name", BLIND)
def test_answers_are_the_same_on_repeat_and_complete(name: str) -> None:
    train_sets, sets = biased_sets(40), biased_sets(10, 1000)
    answers = []
    for _ in range(2):
        agent = agents.make(name)
        agent.train(tasks_of(*train_sets))
        answers.append(answers_of(agent, sets))
    assert answers[0] == answers[1]
    assert not any(one.unanswered for one in mark_all(sets, answers[0]))


def test_random_is_uniform_over_the_answers_of_the_type() -> None:
    """Of 4,000 directions each of the four words has a quarter, within 4.5 standard deviations."""
    sets = [QuestionSet(k, (factual(0, "?", "query_direction", "up"),)) for k in range(4000)]
    counts = Counter(own[0] for own in answers_of(agents.make("random"), sets).values())
    assert set(counts) == {"left", "right", "up", "down"}
    assert all(abs(count - 1000) < 4.5 * (4000 * 0.25 * 0.75) ** 0.5 for count in counts.values())


def test_random_tosses_a_coin_for_options() -> None:
    sets = [QuestionSet(k, (multiple(0, "counterfactual", "cwcw"),)) for k in range(1000)]
    own = by_kind(mark_all(sets, answers_of(agents.make("random"), sets)))["counterfactual"]
    assert abs(own.per_option - 50.0) < 4.5 * 100.0 * (0.25 / 4000) ** 0.5
    assert abs(own.per_question - 6.25) < 4.5 * 100.0 * (0.0625 * 0.9375 / 1000) ** 0.5


def test_frequent_gives_the_most_frequent_answer_of_the_template() -> None:
    agent = agents.make("frequent")
    agent.train(tasks_of(*biased_sets(200)))
    answers = answers_of(agent, biased_sets(5, 1000))
    assert {own[1] for own in answers.values()} == {"3"}
    assert {own[2][0] for own in answers.values()} == {WRONG}


def test_a_pair_counts_in_either_order_for_frequent() -> None:
    pairs = ["red and blue", "blue and red", "gray and green", "gray and green", "blue and red"]
    agent = agents.make("frequent")
    agent.train(tasks_of(*(QuestionSet(k, (factual(0, "?", "query_both_color", p),)) for k, p in enumerate(pairs))))
    question_set = QuestionSet(9, (factual(0, "?", "query_both_color", None),))
    assert agent.answer(Task(question_set)) == {0: "blue and red"}


@pytest.mark.slow
def test_the_lstm_learns_what_words_tell_and_no_more() -> None:
    agent = agents.make("blind-lstm", epochs=20)
    agent.train(tasks_of(*biased_sets(300)))
    sets = biased_sets(100, 1000)
    answers = answers_of(agent, sets)
    for one in sets:
        colour_answer = one.questions[0].answer
        assert answers[one.index][0] == colour_answer
        assert answers[one.index][2][0] == (CORRECT if "cube" in one.questions[2].choices[0].text else WRONG)


def test_an_lstm_that_was_not_trained_says_so() -> None:
    with pytest.raises(AgentInputError, match="not been trained"):
        agents.make("blind-lstm").answer(Task(biased_sets(1)[0]))
    with pytest.raises(AgentInputError, match="questions with answers"):
        agents.make("blind-lstm").train(tasks_of(without_answers(biased_sets(1)[0])))


def test_unknown_agents_and_settings_are_named() -> None:
    with pytest.raises(AgentError, match="no agent 'psychic'; there are oracle, shown, random"):
        agents.make("psychic")
    with pytest.raises(AgentError, match="agent random has no setting 'epochs'"):
        agents.make("random", epochs=3)
