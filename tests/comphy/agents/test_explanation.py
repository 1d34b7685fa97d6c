"""What agents say about a task: bodies, scenes, concepts and predicted motion."""

import numpy as np
import pytest
from sample_questions import question_set

from tumble.comphy import agents
from tumble.comphy.agents.agent import Explanation, concepts_of
from tumble.comphy.catalogue.task import QuestionSet, Task
from tumble.comphy.catalogue.video_set import Alteration
from tumble.comphy.catalogue.world import SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.dataset.observe import observe_videos
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.questions.symbolic_scene import symbolic_scene

VIDEOS = make_set(1, "charge", seed=5)


def explained(name: str) -> Explanation:
    agent = agents.make(name)
    task = Task(QuestionSet(1, ()), lambda: observe_videos(VIDEOS), lambda: VIDEOS, allows_truth=agent.uses_truth)
    agent.answer(task)
    explanation = agent.explain(task)
    assert explanation is not None
    return explanation


@pytest.mark.parametrize("name", ["oracle", "simulation"])
def test_predicted_motion_is_the_true_one_after_every_change(name: str) -> None:
    explanation = explained(name)
    assert explanation.bodies is not None
    assert [body.is_charged for body in explanation.bodies] == [body.is_charged for body in VIDEOS.bodies]
    assert explanation.motions is not None
    future = explanation.motions[None]
    assert len(future) == TARGET_FRAMES
    seen = VIDEOS.target.in_view
    np.testing.assert_allclose(future[seen], VIDEOS.target.positions[seen], atol=0.02)
    charged = next(k for k, body in enumerate(VIDEOS.bodies) if body.is_charged)
    changes = [Alteration(charged, "uncharged"), Alteration(0, "heavier")]
    for change in changes:
        assert change in explanation.motions
        own, true = explanation.motions[change], VIDEOS.altered[change].positions
        assert own.shape == (SHOWN_FRAMES, len(VIDEOS.bodies), 3)
        in_view = VIDEOS.altered[change].in_view
        np.testing.assert_allclose(own[in_view], true[in_view], atol=0.05)
    assert Alteration(9, "heavier") not in explanation.motions


def test_shown_sees_what_happens_but_no_charge() -> None:
    explanation = explained("shown")
    assert explanation.bodies is not None
    assert not any(body.is_charged for body in explanation.bodies)
    assert explanation.motions is None
    seen, true = explanation.visible_concepts(), concepts_of(symbolic_scene(VIDEOS))
    assert seen is not None
    assert seen.collisions == true.collisions != frozenset()
    assert (seen.moving == true.moving).all()
    assert not (seen.moving & seen.stationary).any()


def test_most_agents_have_nothing_to_show() -> None:
    task = Task(question_set())
    assert agents.make("random").explain(task) is None
    assert agents.make("random").trained_with == ""
