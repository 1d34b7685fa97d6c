"""The oracle is never wrong, and hidden properties can be inferred by simulation."""

from functools import cache

import pytest

from tumble.comphy import agents
from tumble.comphy.agents import Task
from tumble.comphy.agents.simulation import (
    SimulatedAlterations,
    complete_track,
    extend_motion,
    hypotheses,
    infer_properties,
    predict_scene,
    same_charges,
)
from tumble.comphy.catalogue.body import Body
from tumble.comphy.catalogue.task import QuestionSet
from tumble.comphy.catalogue.video_set import Alteration, Family, VideoSet
from tumble.comphy.catalogue.world import SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.dataset.observe import observe_videos
from tumble.comphy.dataset.question_files import without_answers
from tumble.comphy.evaluation.metrics import Mark, by_kind, mark_all, tally
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.questions.ask import SPLIT_OPTIONS, ask_block
from tumble.comphy.questions.symbolic_scene import symbolic_scene
from tumble.comphy.simulation.events import events_of
from tumble.comphy.simulation.simulator import InitialState


@cache
def made(index: int, family: Family) -> VideoSet:
    return make_set(index, family, seed=5)


FEW = ((0, "mass"), (1, "charge"), (2, "both"))


def tasks_of(sets: list[VideoSet], allows_truth: bool) -> tuple[list[QuestionSet], list[Task]]:
    questions = ask_block({own.index: symbolic_scene(own) for own in sets}, 5, SPLIT_OPTIONS["test"])
    by_index = {own.index: own for own in sets}
    tasks = [
        Task(
            without_answers(own),
            lambda videos=by_index[own.index]: observe_videos(videos),  # type: ignore[misc]
            lambda videos=by_index[own.index]: videos,  # type: ignore[misc]
            allows_truth=allows_truth,
        )
        for own in questions
    ]
    return questions, tasks


def marks_of(name: str) -> list[Mark]:
    agent = agents.make(name)
    questions, tasks = tasks_of([made(index, family) for index, family in FEW], agent.uses_truth)  # type: ignore[arg-type]
    return mark_all(questions, {task.questions.index: agent.answer(task) for task in tasks})


def test_the_oracle_answers_everything() -> None:
    whole = tally(marks_of("oracle"))
    assert whole.questions > 9
    assert (whole.per_option, whole.per_question, whole.unanswered) == (100.0, 100.0, 0)


def test_simulation_answers_nearly_everything_from_what_is_in_view() -> None:
    tallies = by_kind(marks_of("simulation"))
    assert tallies["factual"].per_question == 100.0
    assert tallies["counterfactual"].per_option >= 90.0
    assert tally(marks_of("simulation")).unanswered == 0


@pytest.mark.parametrize(("index", "family"), FEW)
def test_masses_and_charges_are_inferred_from_motion_alone(index: int, family: Family) -> None:
    videos = made(index, family)
    found = infer_properties(observe_videos(videos))
    assert [body.appearance for body in found] == [body.appearance for body in videos.bodies]
    assert [body.mass for body in found] == [body.mass for body in videos.bodies]
    assert same_charges(found, videos.bodies)


@pytest.mark.parametrize(("bodies", "count"), [(3, 4 * 7), (5, 6 * 21)])
def test_a_set_has_at_most_one_heavy_body_and_one_charged_pair(bodies: int, count: int) -> None:
    """(n + 1) masses times 1 + 2 n (n - 1) / 2 charges."""
    kinds = [("red", "rubber"), ("blue", "metal")]
    looks = tuple(Body(color, material, shape) for color, material in kinds for shape in ("cube", "sphere", "cylinder"))
    found = hypotheses(looks[:bodies])
    assert len(found) == len(set(found)) == count
    assert all(sum(body.is_heavy for body in own) <= 1 for own in found)
    assert {sum(body.is_charged for body in own) for own in found} == {0, 2}


def test_signs_alone_make_no_difference() -> None:
    plus, minus, none = (Body("red", "metal", "cube", charge=charge) for charge in (1, -1, 0))
    assert same_charges((plus, minus), (minus, plus))
    assert not same_charges((plus, minus), (plus, plus))
    assert not same_charges((plus, plus), (none, none))


@pytest.mark.parametrize(("index", "family"), FEW)
def test_simulating_on_with_the_true_bodies_gives_the_true_future(index: int, family: Family) -> None:
    """The same pairs collide in view after the shown frames."""
    videos = made(index, family)
    observation = observe_videos(videos)
    whole = extend_motion(videos.bodies, complete_track(observation.bodies, observation.target.track))
    assert whole.frames == videos.target.frames
    predicted, true = (
        {event.bodies for event in events_of(videos.bodies, motion, SHOWN_FRAMES, TARGET_FRAMES)}
        for motion in (whole, videos.target)
    )
    assert predicted == true


def test_simulated_alterations_have_the_true_events() -> None:
    videos = made(0, "mass")
    truth = symbolic_scene(videos)
    simulated = SimulatedAlterations(videos.bodies, InitialState.from_motion(videos.target, 0), truth.shown_events)
    assert {change: simulated[change] for change in truth.altered_events} == dict(truth.altered_events)


def test_an_alteration_that_changes_nothing_has_the_events_shown() -> None:
    videos = made(0, "mass")
    shown = symbolic_scene(videos).shown_events
    simulated = SimulatedAlterations(videos.bodies, InitialState.from_motion(videos.target, 0), shown)
    assert simulated[Alteration(0, "uncharged")] is shown
    assert Alteration(9, "uncharged") not in simulated


def test_a_wrong_mass_gives_wrong_events() -> None:
    """Otherwise inferring properties would be of no use."""
    videos = made(0, "mass")
    observation = observe_videos(videos)
    truth = predict_scene(videos.bodies, observation)
    uncharged = [one for one in hypotheses(observation.bodies) if not any(body.is_charged for body in one)]
    scenes = [predict_scene(own, observation) for own in uncharged if own != videos.bodies]
    changes = list(truth.altered_events)
    assert any(own.altered_events[change] != truth.altered_events[change] for own in scenes for change in changes)
