"""Questions are read by the wordings that they are written with."""

import pytest
from sample_scenes import busy_scene, random_scene

from tumble.comphy.questions.ask import SPLIT_OPTIONS, ask_block
from tumble.comphy.questions.interpreter import execute
from tumble.comphy.questions.parser import ParseError, parse_choice, parse_question


@pytest.mark.parametrize("family", ["mass", "charge"])
def test_every_question_is_read_back_as_its_own_program(family: str) -> None:
    scenes = {number: random_scene(number, family) for number in range(50)}
    for own in ask_block(scenes, 3, SPLIT_OPTIONS["test"]):
        for question in own.questions:
            read = parse_question(question.text, [choice.text for choice in question.choices])
            assert (read.kind, read.family, read.program) == (question.kind, question.family, question.program)
            assert [choice.program for choice in read.choices] == [choice.program for choice in question.choices]


@pytest.mark.parametrize(
    ("text", "program", "answer"),
    [
        ("How many heavy spheres are there?", "objects sphere filter_shape filter_heavy count", "0"),
        ("how many heavy sphere is there", "objects sphere filter_shape filter_heavy count", "0"),
        ("Are there any charged moving cube when the video ends?", None, "no"),
        ("What is the colour of the object that is heavy?", "objects filter_heavy unique query_color", "red"),
        ("What is the color of THE cube?", "objects cube filter_shape unique query_color", "red"),
        (
            "What are the colors of the two objects that are charged?",
            "objects filter_charged unique query_both_color",
            None,
        ),
        ("Is the blue sphere heavier than the red cube?", None, "no"),
        ("Are the blue sphere and the red sphere oppositely charged", None, "yes"),
        ("Are the blue sphere and the cube oppositely charged?", None, "no"),
        ("Are the cube and the cylinder with the same type of charge?", None, "no"),
        ("Does the blue object collide with the cube after the cylinder enters the scene?", None, "no"),
        ("How many collisions happen before the green object enters the scene?", None, "2"),
        ("What is the shape of the first object that leaves the scene?", None, "sphere"),
        ("In which direction does the cylinder move at the end of the video?", None, "up"),
    ],
)
def test_questions_of_people_are_read(text: str, program: str | None, answer: str | None) -> None:
    question = parse_question(text)
    assert program is None or question.program == tuple(program.split())
    assert answer is None or execute(question.program, busy_scene()) == answer


def test_a_counterfactual_question_is_read_with_its_options() -> None:
    question = parse_question(
        "If the cube were lighter, which event would not happen?", ["The cube and the blue object would collide."]
    )
    assert question.program[-3:] == ("filter_counterfact", "belong_to", "not")
    assert execute(question.choices[0].program + question.program, busy_scene()) == "no"


def test_what_cannot_be_read_names_the_nearest_wordings() -> None:
    with pytest.raises(ParseError, match=r"How many .*<kind of object> are there"):
        parse_question("How many heavy elephants are there?")
    with pytest.raises(ParseError, match="would collide with"):
        parse_choice("The cube would kiss the sphere")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("What is the color of the red blue cube?", "two words for the color"),
        (
            "How many heavy spheres are there when the video ends?",
            r"\[when …\] only makes sense with \[moving or stationary\]",
        ),
    ],
)
def test_what_makes_no_sense_is_explained(text: str, complaint: str) -> None:
    with pytest.raises(ParseError, match=complaint):
        parse_question(text)
