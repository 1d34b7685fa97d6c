"""Questions in the words of the div world: answers, descriptions and how they are parsed."""

import pytest

from tumble.comphy.agents.guessing import answer_space, answer_words, answers_by_operator
from tumble.comphy.catalogue.task import Question
from tumble.comphy.catalogue.world import DIV, PLAIN
from tumble.comphy.dataset.folder import Settings
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.questions.ask import ask_block
from tumble.comphy.questions.interpreter import Interpreter
from tumble.comphy.questions.parser import parse_choice, parse_question
from tumble.comphy.questions.phrases import Description, normalise_text, parse_description
from tumble.comphy.questions.program import answers_by_type, canonical_answer, check_question
from tumble.comphy.questions.symbolic_scene import symbolic_scene


def test_there_are_180_answers() -> None:
    """The paper counts 175: 2 + 6 + 8 + 5 + 13 + 4 words and numbers, and unordered pairs of words."""
    answers = {canonical_answer(answer) for space in answers_by_type(DIV).values() for answer in space}
    assert len(answers) == 38 + 36 + 15 + 91 == 180
    assert answers == {canonical_answer(answer) for space in answers_by_operator(DIV).values() for answer in space}


def test_the_plain_world_keeps_its_answers() -> None:
    question = Question(0, "factual", "", "", ("objects", "unique", "query_shape"))
    assert answer_space(question) == answer_space(question, PLAIN) == ("cube", "sphere", "cylinder")
    assert answer_space(question, DIV) == DIV.shapes
    pair = Question(0, "factual", "", "", ("objects", "filter_same", "unique", "query_both_material"))
    assert answer_words(pair, DIV) == (DIV.materials, 2)


@pytest.mark.parametrize("shape", DIV.shapes)
def test_plurals_are_parsed(shape: str) -> None:
    description = Description(color="red", material="ceramic", shape=shape)
    text = description.text(plural=True)
    assert text.endswith("s")
    assert parse_description(normalise_text(text)) == description
    assert parse_question(f"How many moving {text} are there?").program[:2] == ("objects", "red")


def test_pots_are_not_teapots() -> None:
    assert parse_question("Are any pots heavy?").program != parse_question("Are any teapots heavy?").program
    assert parse_description(normalise_text("the wooden teapot")) == Description(material="wood", shape="teapot")


def test_questions_are_parsed_to_their_programs_and_descriptions_match_one_body() -> None:
    videos = make_set(7, "charge", 1, DIV.name)
    scene = symbolic_scene(videos)
    options = Settings(1, 1, None, world=DIV.name).option_settings("test")
    (asked,) = ask_block({7: scene}, 1, options)
    assert any(question.choices for question in asked.questions)
    for question in asked.questions:
        check_question(question)
        assert parse_question(question.text).program == question.program
        for choice in question.choices:
            assert parse_choice(choice.text).program == choice.program
        answers = [choice.answer for choice in question.choices] or [question.answer]
        assert list(Interpreter(scene).answers(question)) == answers
