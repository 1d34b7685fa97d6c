"""Properties and motion are found again from noisy tracks, with occlusion and wrong identities too."""

from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from div_set import div_set
from noisy_perception import hidden, noisy_perception, swapped

from tumble.comphy import agents
from tumble.comphy.agents import AgentInputError, Task
from tumble.comphy.agents.oracle import answers_from_scene
from tumble.comphy.agents.see_and_simulate.agent import SeeAndSimulate
from tumble.comphy.agents.see_and_simulate.scene import fitted_scene
from tumble.comphy.agents.see_and_simulate.set_fit import LARGEST_COST, UNEXPLAINED, SetFit, fit_set
from tumble.comphy.agents.simulation import same_charges
from tumble.comphy.catalogue.body import Body
from tumble.comphy.catalogue.task import QuestionSet
from tumble.comphy.catalogue.video_set import Family, VideoSet
from tumble.comphy.catalogue.world import SHOWN_FRAMES
from tumble.comphy.dataset.observe import observe_videos
from tumble.comphy.dataset.question_files import without_answers
from tumble.comphy.evaluation.metrics import mark_all, tally
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.models.perceiver.perceive import perception_of
from tumble.comphy.models.perceiver.perception import Perception
from tumble.comphy.questions.ask import SPLIT_OPTIONS, ask_block
from tumble.comphy.questions.symbolic_scene import symbolic_scene
from tumble.comphy.simulation.events import colliding_pairs


@cache
def made(family: Family) -> VideoSet:
    return make_set({"mass": 0, "charge": 1, "both": 2}[family], family, seed=5)


@cache
def fitted(family: Family) -> SetFit:
    return fit_set(noisy_perception(made(family)))


def questions_of(videos: VideoSet) -> QuestionSet:
    return ask_block({videos.index: symbolic_scene(videos)}, 5, SPLIT_OPTIONS["test"])[0]


def assert_right(fit: SetFit, videos: VideoSet) -> None:
    """Properties are right, and the fitted motion is within two pixels."""
    assert [body.mass for body in fit.bodies] == [body.mass for body in videos.bodies]
    assert same_charges(fit.bodies, videos.bodies)
    motion = fitted_scene(fit).motion
    in_view = videos.target.in_view[:SHOWN_FRAMES]
    errors = np.abs(motion.positions[:SHOWN_FRAMES] - videos.target.positions[:SHOWN_FRAMES]).max(axis=-1)
    assert np.median(errors[in_view]) < 0.02
    assert np.quantile(errors[in_view], 0.95) < 0.05


@pytest.mark.parametrize("family", ["mass", "charge"])
def test_properties_and_motion_are_found_in_noise(family: Family) -> None:
    fit = fitted(family)
    assert_right(fit, made(family))
    assert 0.0 < np.median(fit.misfits) < 2.0
    assert 1.6 < fit.problem.guess.noise < 2.4  # twice what the perceiver claims


@pytest.mark.slow
def test_a_heavy_body_beside_a_charged_pair_is_found() -> None:
    fit, videos = fitted("both"), made("both")
    assert [body.mass for body in fit.bodies] == [body.mass for body in videos.bodies]
    assert same_charges(fit.bodies, videos.bodies)


@pytest.mark.parametrize(("gain", "preferred"), [(LARGEST_COST, "one"), (2.0 * LARGEST_COST, "both")])
def test_both_properties_at_once_need_more_than_one_video(
    gain: float, preferred: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    heavy = made("mass").bodies

    def fit(*_: object, kept: object = None) -> SimpleNamespace:
        name = "one" if kept is None else "both"
        misfits = np.array([2.0 * UNEXPLAINED])
        return SimpleNamespace(name=name, bodies=heavy, misfits=misfits, reference_misfits=(), costs={heavy: gain})

    monkeypatch.setattr("tumble.comphy.agents.see_and_simulate.set_fit._fit_set", fit)
    assert fit_set(noisy_perception(made("mass"))).name == preferred  # type: ignore[attr-defined]


@pytest.mark.parametrize("family", ["mass", "charge"])
def test_questions_are_answered(family: Family) -> None:
    questions = questions_of(made(family))
    answers = answers_from_scene(fitted_scene(fitted(family)), without_answers(questions))
    whole = tally(mark_all([questions], {questions.index: answers}))
    assert whole.parts >= 8
    assert whole.per_option > 90.0


def test_other_hypotheses_cost_more() -> None:
    fit = fitted("mass")
    costs = sorted(fit.costs.values())
    assert fit.costs[fit.bodies] == 0.0
    assert costs[1] > 5.0
    assert len(costs) > len(fit.bodies)


def test_occluded_bodies_are_followed() -> None:
    perception = noisy_perception(made("mass"))
    target = perception.target
    for body in range(2):
        target = hidden(target, body, slice(20 + 30 * body, 40 + 30 * body))
    assert_right(fit_set(replace(perception, target=target)), made("mass"))


def test_swapped_identities_are_outvoted() -> None:
    perception = noisy_perception(made("charge"))
    fit = fit_set(replace(perception, target=swapped(perception.target, slice(30, 35))))
    assert_right(fit, made("charge"))


@pytest.mark.slow
def test_a_body_that_is_never_seen_takes_no_part() -> None:
    perception = noisy_perception(made("mass"))
    last = len(perception.appearances) - 1
    target = hidden(perception.target, last, slice(None))
    fit = fit_set(Perception(perception.appearances, target, ()))
    motion = fitted_scene(fit).motion
    assert not motion.in_view[:, last].any()
    assert all(last not in pair for pair in colliding_pairs(motion))


def test_the_agent_answers_from_true_tracks() -> None:
    videos = made("mass")
    questions = questions_of(videos)
    task = Task(without_answers(questions), lambda: observe_videos(videos))
    agent = agents.make("see-and-simulate", tracks="given")
    whole = tally(mark_all([questions], {questions.index: agent.answer(task)}))
    assert whole.per_option > 90.0
    assert task.use.most == "tracks"
    explanation = agent.explain(task)
    assert explanation is not None
    assert explanation.bodies == agent.infer_bodies(task)
    assert explanation.motions is not None
    assert {motion.shape[1] for motion in explanation.motions.values()} == {len(videos.bodies)}


def test_unknown_tracks_are_refused() -> None:
    with pytest.raises(AgentInputError, match="no tracks 'guessed'"):
        SeeAndSimulate(tracks="guessed")


@pytest.mark.parametrize(
    ("reference_misfit", "reference_cost", "searched"),
    [(1.0, 0.0, False), (1.0, LARGEST_COST, True), (2.0 * UNEXPLAINED, 0.0, True)],
)
def test_everyday_objects_need_references_that_disagree_for_both_properties(
    reference_misfit: float, reference_cost: float, searched: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches = []

    def fit(_: object, __: object, hypotheses: list[tuple[Body, ...]], *___: object, kept: object = None) -> object:
        searches.append(kept)
        return SimpleNamespace(
            bodies=hypotheses[0],
            misfits=np.array([2.0 * UNEXPLAINED]),
            reference_misfits=(reference_misfit,),
            reference_cost=reference_cost,
            costs={hypotheses[0]: 0.0},
        )

    monkeypatch.setattr("tumble.comphy.agents.see_and_simulate.set_fit._fit_set", fit)
    fit_set(perception_of(observe_videos(div_set())))
    assert len(searches) == 1 + searched
