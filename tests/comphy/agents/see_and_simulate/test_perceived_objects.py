"""Everyday objects that were perceived: what is no body is left out, and words and options agree with the questions."""

from dataclasses import replace

import numpy as np
import pytest
from div_set import div_set
from sample_questions import factual

from tumble.comphy.agents.see_and_simulate.agent import agreeing_looks, with_one_correct
from tumble.comphy.agents.see_and_simulate.measure import (
    LEAST_SCALE,
    MIN_IN_REFERENCE,
    PATCH_ERROR,
    cleaned_perception,
    measure,
)
from tumble.comphy.catalogue.task import CORRECT, WRONG, Appearance, Choice, Question, QuestionSet
from tumble.comphy.dataset.observe import observe_videos
from tumble.comphy.models.perceiver.perceive import perception_of
from tumble.comphy.models.perceiver.perception import PerceivedVideo, Perception
from tumble.comphy.questions.symbolic_scene import SymbolicScene, symbolic_scene

RED_MUG, BLUE_CHAIR = Appearance("red", "wood", "mug"), Appearance("blue", "ceramic", "chair")
METAL_MUG = "objects metal filter_material mug filter_shape unique query_color"


def perceived(error: float = 0.5) -> Perception:
    """As of a perceiver: with errors, and without forms."""

    def video(exact: PerceivedVideo) -> PerceivedVideo:
        return replace(exact, errors=np.full_like(exact.errors, error))

    exact = perception_of(observe_videos(div_set()))
    return Perception(exact.appearances, video(exact.target), tuple(map(video, exact.references)))


def hidden_in(video: PerceivedVideo, body: int, frames: slice = slice(None)) -> PerceivedVideo:
    """A body is not seen in some frames."""
    seen = video.seen.copy()
    seen[frames, video.members.index(body)] = False
    return replace(video, seen=seen)


def test_what_is_never_in_the_target_is_left_out() -> None:
    found = perceived()
    without = cleaned_perception(replace(found, target=hidden_in(found.target, 2)))
    assert without.appearances == found.appearances[:2]
    assert all(2 not in video.members for video in (without.target, *without.references))


def test_a_second_name_of_a_body_is_replaced() -> None:
    found = perceived()
    reference = next(video for video in found.references if 0 in video.members)
    twice = replace(
        found,
        appearances=(*found.appearances, found.appearances[0]._replace(material="painted")),
        references=(replace(reference, members=tuple(3 if k == 0 else k for k in reference.members)),),
    )
    assert cleaned_perception(twice).appearances == found.appearances
    assert cleaned_perception(twice).references[0].members == reference.members


def test_patches_of_the_stage_and_short_tracks_are_left_out() -> None:
    found = perceived()
    errors = [np.where(np.array(v.members) == 1, 2 * PATCH_ERROR, v.errors) for v in (found.target, *found.references)]
    patch = replace(
        found,
        target=replace(found.target, errors=errors[0]),
        references=tuple(replace(v, errors=own) for v, own in zip(found.references, errors[1:], strict=True)),
    )
    assert cleaned_perception(patch).appearances == (found.appearances[0], found.appearances[2])
    video = found.references[0]
    short = hidden_in(video, video.members[0], slice(MIN_IN_REFERENCE - 1, None))
    assert cleaned_perception(replace(found, references=(short,))).references[0].members == video.members[1:]


def test_exact_tracks_are_kept() -> None:
    exact = perception_of(observe_videos(div_set()))
    assert cleaned_perception(exact) is exact


def test_errors_are_not_taken_for_smaller_than_the_perceiver_tells() -> None:
    found = perceived(1.0)
    measured = measure(found.appearances, (found.target,))
    scaled = measured.scaled(0.2, 0.01)
    assert 1.0 / scaled.weights[scaled.seen].max() == pytest.approx(LEAST_SCALE, rel=0.02)


def test_words_are_corrected_by_questions() -> None:
    questions = QuestionSet(0, (factual(1, "", METAL_MUG, None),))
    assert agreeing_looks([RED_MUG, BLUE_CHAIR], questions) == (RED_MUG._replace(material="metal"), BLUE_CHAIR)
    metal = RED_MUG._replace(material="metal")
    assert agreeing_looks([metal, BLUE_CHAIR], questions) == (metal, BLUE_CHAIR)


def test_one_of_two_options_is_correct() -> None:
    scene, question = scene_without_future_events()
    questions = QuestionSet(0, (question,))
    positions = scene.motion.positions.copy()
    positions[:, 0], positions[:, 1], positions[:, 2] = (0.0, 0.0, 0.2), (0.6, 0.0, 0.2), (3.0, 0.0, 0.2)
    scene = replace(scene, motion=replace(scene.motion, positions=positions, collisions=()))
    both_wrong = {question.id: {0: WRONG, 1: WRONG}}
    assert with_one_correct(both_wrong, scene, questions) == {question.id: {0: WRONG, 1: CORRECT}}
    decided = {question.id: {0: CORRECT, 1: WRONG}}
    assert with_one_correct(decided, scene, questions) == decided


def scene_without_future_events() -> tuple[SymbolicScene, Question]:
    """A scene, and whether mug and bottle or mug and chair will collide."""
    choices = []
    for number, shape in enumerate(("bottle", "chair")):
        words = [("objects", one, "filter_shape", "unique", "filter_collision") for one in ("mug", shape)]
        choices.append(Choice(number, "", ("all_events", *words[0], *words[1], "unique"), None))
    question = Question(7, "predictive", "predictive", "", ("unseen_events", "belong_to"), None, tuple(choices))
    return replace(symbolic_scene(div_set()), future_events=()), question
