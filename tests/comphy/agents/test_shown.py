"""Shown: the truth of what is seen, and no change and no deflection of the rest."""

import pytest
from generated_dataset import made
from sample_set import video_set

from tumble.comphy import agents
from tumble.comphy.agents import Task
from tumble.comphy.agents.oracle import shown_scene
from tumble.comphy.catalogue.task import CORRECT, Question
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.dataset.observe import observe_stored, observe_videos
from tumble.comphy.dataset.question_files import without_answers
from tumble.comphy.evaluation.metrics import mark
from tumble.comphy.questions.interpreter import Interpreter
from tumble.comphy.questions.symbolic_scene import symbolic_scene
from tumble.comphy.simulation.outcomes import straight_pairs

HIDDEN = ("heavy", "light", "mass", "charge", "opposite", "same")


def visible(question: Question) -> bool:
    """Whether a factual question's program reads no hidden property."""
    return question.kind == "factual" and not any(word in token for token in question.program for word in HIDDEN)


@pytest.mark.parametrize("index", range(6))
def test_visible_things_are_answered_correctly(index: int) -> None:
    data = open_dataset(made())
    questions = data.questions[index]
    task = Task(without_answers(questions), lambda: observe_stored(data, index))
    marks = mark(questions, agents.make("shown").answer(task))
    by_id = {question.id: question for question in questions.questions}
    assert all(one.all_correct for one in marks if visible(by_id[one.question]))
    assert task.use.most == "tracks"


def test_events_in_view_are_the_true_ones() -> None:
    videos = open_dataset(made()).example(0).videos
    true, seen = symbolic_scene(videos), shown_scene(observe_videos(videos))
    kinds = ("in", "out", "collision")
    assert seen.shown_events == tuple(event for event in true.shown_events if event.kind in kinds)


@pytest.mark.parametrize("index", range(6))
def test_changes_have_no_effect_and_motion_goes_on_straight(index: int) -> None:
    data = open_dataset(made())
    videos = data.example(index).videos
    truth = symbolic_scene(videos)
    interpreter = Interpreter(shown_scene(observe_videos(videos)))
    shown = {event.bodies for event in truth.shown_events if event.kind == "collision"}
    straight = straight_pairs(videos.bodies, videos.target)
    for question in data.questions[index].questions:
        for choice, answer in zip(question.choices, interpreter.answers(question), strict=False):
            pair = Interpreter(truth).subject((*choice.program, "query_frame"))[0].bodies
            expected = pair in (shown if question.kind == "counterfactual" else straight)
            negated = question.program[-1] in ("not", "negate")
            assert (answer == CORRECT) == (expected != negated)


def test_bodies_count_as_light_and_neutral() -> None:
    scene = shown_scene(observe_videos(video_set()))
    assert not any(body.is_heavy or body.is_charged for body in scene.bodies)
