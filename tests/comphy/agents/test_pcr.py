"""Tests of the agent PCR with a small untrained network: its answers are possible ones, and it explains them."""

import numpy as np
import pytest
import torch
from generated_dataset import made

from tumble.comphy.agents import class_of
from tumble.comphy.agents.agent import AgentInputError
from tumble.comphy.agents.guessing import answer_space
from tumble.comphy.agents.pcr import Pcr, PcrWithoutReferences
from tumble.comphy.catalogue.task import Task
from tumble.comphy.catalogue.world import SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.dataset.observe import observe_stored, stored_pictures
from tumble.comphy.models.pcr.training import PcrConfig, network_of
from tumble.comphy.questions.program import canonical_answer
from tumble.learning.settings import TrainingError
from untrained_weights import write_untrained

CONFIG = PcrConfig(object_width=32, property_hidden=16, property_channels=8, dynamics_hidden=16)


def task(index: int) -> Task:
    data = open_dataset(made())
    return Task(data.questions[index], lambda: observe_stored(data, index), videos=lambda: stored_pictures(data, index))


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("pcr") / "pcr.pt"
    torch.manual_seed(0)
    return str(write_untrained(path, "pcr", CONFIG, network_of(CONFIG)))


def test_answers_and_explanation(weights: str) -> None:
    agent, own_task = Pcr(checkpoint=weights, tracks="given"), task(0)
    answers = agent.answer(own_task)
    assert answers.keys() == {question.id for question in own_task.questions.questions}
    for question in own_task.questions.questions:
        answer = answers[question.id]
        if isinstance(answer, str):
            assert canonical_answer(answer) in set(map(canonical_answer, answer_space(question)))
        else:
            assert answer.keys() == {choice.id for choice in question.choices}
    bodies = agent.infer_bodies(own_task)
    assert len(bodies) == len(own_task.observe().appearances)
    explanation = agent.explain(own_task)
    assert explanation.bodies == bodies
    assert explanation.concepts is not None
    assert explanation.traces is not None
    assert explanation.motions is not None
    for question in own_task.questions.questions:
        key = (question.id, question.choices[0].id if question.choices else None)
        steps = explanation.traces[key]
        assert steps
        assert all(step.value for step in steps)
    motion = explanation.motions[None]
    assert motion.shape == (TARGET_FRAMES, len(bodies), 2)
    assert np.isfinite(motion).any()
    change = next(key for key in explanation.motions if key is not None)
    assert explanation.motions[change].shape == (SHOWN_FRAMES, len(bodies), 2)


def test_ablations_have_their_own_weights(weights: str) -> None:
    assert class_of("pcr-without-references") is PcrWithoutReferences
    with pytest.raises(TrainingError, match="'pcr', not of 'pcr-without-references'"):
        PcrWithoutReferences(checkpoint=weights, tracks="given").answer(task(0))


def test_unknown_settings_are_named() -> None:
    with pytest.raises(AgentInputError, match="no tracks 'guessed'"):
        Pcr(tracks="guessed")
    with pytest.raises(AgentInputError, match="no parser 'none'"):
        Pcr(parser="none")
