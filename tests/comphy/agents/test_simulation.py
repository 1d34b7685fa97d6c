"""The oracle is never wrong, and hidden properties can be inferred by simulation."""

from functools import cache

import numpy as np
import pytest

from tumble.comphy import agents
from tumble.comphy.agents import Task
from tumble.comphy.agents.inference import hypotheses, infer, observe, same_charges
from tumble.comphy.agents.prediction import SimulatedAlterations, extend_motion, predict_scene
from tumble.comphy.dataset.question_files import without_answers
from tumble.comphy.evaluation.metrics import mark_all, tally
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.questions.ask import SPLIT_OPTIONS, ask_block
from tumble.comphy.questions.programs.symbolic_scene import symbolic_scene
from tumble.comphy.simulation.events import pairs_of
from tumble.comphy.simulation.simulator import InitialState
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import SHOWN_FRAMES
from tumble.comphy.tasks.question import QuestionSet
from tumble.comphy.tasks.video_set import Family, VideoSet


@cache
def made(index: int, family: Family) -> VideoSet:
    return make_set(index, family, seed=5)


FEW = ((0, "mass"), (1, "charge"), (2, "both"))


def tasks_of(sets: list[VideoSet]) -> tuple[list[QuestionSet], list[Task]]:
    questions = ask_block({own.index: symbolic_scene(own) for own in sets}, 5, SPLIT_OPTIONS["test"])
    by_index = {own.index: own for own in sets}
    return questions, [Task(without_answers(own), lambda own=own: by_index[own.index]) for own in questions]  # type: ignore[misc]


@pytest.mark.parametrize("name", ["oracle", "simulation"])
def test_agents_that_know_the_physics_answer_everything(name: str) -> None:
    questions, tasks = tasks_of([made(index, family) for index, family in FEW])  # type: ignore[arg-type]
    agent = agents.make(name)
    whole = tally(mark_all(questions, {task.questions.index: agent.answer(task) for task in tasks}))
    assert whole.questions > 9
    assert (whole.per_option, whole.per_question, whole.unanswered) == (100.0, 100.0, 0)


@pytest.mark.parametrize(("index", "family"), FEW)
def test_masses_and_charges_are_inferred_from_motion_alone(index: int, family: Family) -> None:
    videos = made(index, family)
    found = infer(observe(videos))
    assert [body.appearance for body in found] == [body.appearance for body in videos.bodies]
    assert [body.mass for body in found] == [body.mass for body in videos.bodies]
    assert same_charges(found, videos.bodies)


def test_an_observation_ends_with_the_shown_frames_and_has_no_hidden_properties() -> None:
    observation = observe(made(1, "charge"))
    assert observation.target.frames == SHOWN_FRAMES
    assert all(collision.step < 10 * SHOWN_FRAMES for collision in observation.target.collisions)
    assert not any(isinstance(value, Body) for value in vars(observation).values())
    assert all(len(appearance) == 3 for appearance in observation.appearances)


@pytest.mark.parametrize(("bodies", "count"), [(3, 4 * 7), (5, 6 * 21)])
def test_a_set_has_at_most_one_heavy_body_and_one_charged_pair(bodies: int, count: int) -> None:
    """(n + 1) masses times 1 + 2 n (n - 1) / 2 charges."""
    kinds = [("red", "rubber"), ("blue", "metal")]
    appearances = tuple(
        (color, material, shape) for color, material in kinds for shape in ("cube", "sphere", "cylinder")
    )
    found = hypotheses(appearances[:bodies])
    assert len(found) == len(set(found)) == count
    assert all(sum(body.is_heavy for body in own) <= 1 for own in found)
    assert {sum(body.is_charged for body in own) for own in found} == {0, 2}


def test_signs_alone_make_no_difference() -> None:
    plus, minus, none = (Body("red", "metal", "cube", charge=charge) for charge in (1, -1, 0))
    assert same_charges((plus, minus), (minus, plus))
    assert not same_charges((plus, minus), (plus, plus))
    assert not same_charges((plus, plus), (none, none))


@pytest.mark.parametrize(("index", "family"), FEW)
def test_simulating_on_with_the_true_bodies_gives_the_true_motion(index: int, family: Family) -> None:
    """From a state rounded to 6 decimals, two seconds ahead, and the same pairs collide."""
    videos = made(index, family)
    whole = extend_motion(videos.bodies, observe(videos).target)
    assert whole.frames == videos.target.frames
    assert np.abs(whole.positions - videos.target.positions).max() < 0.05
    assert {one.pair for one in whole.collisions} == {one.pair for one in videos.target.collisions}


def test_simulated_alterations_have_the_true_events() -> None:
    videos = made(0, "mass")
    simulated = SimulatedAlterations(videos.bodies, InitialState.from_motion(videos.target, 0))
    truth = symbolic_scene(videos).altered_events
    assert {change: simulated[change] for change in truth} == dict(truth)


def test_a_wrong_mass_gives_wrong_events() -> None:
    """Otherwise inferring properties would be of no use."""
    videos = made(0, "mass")
    truth = predict_scene(videos.bodies, observe(videos).target)
    shown = [one for one in hypotheses(observe(videos).appearances) if not any(body.is_charged for body in one)]
    scenes = [predict_scene(own, observe(videos).target) for own in shown if own != videos.bodies]
    changes = list(truth.altered_events)
    assert any(own.altered_events[change] != truth.altered_events[change] for own in scenes for change in changes)
    assert len(pairs_of(len(videos.bodies))) >= 3
