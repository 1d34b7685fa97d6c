"""The truth in place of an agent's modules: only where it is asked for, and answers are then right."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
from generated_dataset import made

from tumble.comphy.agents import Agent, AgentInputError, make
from tumble.comphy.agents.pcr import Pcr
from tumble.comphy.catalogue.task import Task
from tumble.comphy.catalogue.video_set import Alteration, VideoSet
from tumble.comphy.catalogue.world import SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.dataset.observe import observe_stored, stored_pictures
from tumble.comphy.dataset.question_files import without_answers
from tumble.comphy.evaluation.metrics import mark_all, tally
from tumble.comphy.models.graph.cpl import CplConfig
from tumble.comphy.models.pcr.network import LAYOUT
from tumble.comphy.models.pcr.training import PcrConfig, network_of
from tumble.comphy.models.perceiver.perceive import perception_of
from tumble.comphy.models.perceiver.perception import match_truth
from tumble.comphy.simulation.events import events_of
from tumble.runs.participant import AgentError
from untrained_weights import write_untrained

PCR = PcrConfig(object_width=32, property_hidden=16, property_channels=8, dynamics_hidden=16)
CPL = CplConfig(property_hidden=8, property_channels=8, dynamics_hidden=8)
INDEX = 0


@pytest.fixture(scope="module")
def agent_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Agent]:
    """Makes agents with small untrained networks and exact tracks."""
    folder = tmp_path_factory.mktemp("weights")
    torch.manual_seed(0)
    for name, config, network in (("pcr", PCR, network_of(PCR)), ("cpl", CPL, CPL.network())):
        write_untrained(folder / f"{name}.pt", name, config, network)
    return lambda name, **settings: make(name, checkpoint=str(folder / f"{name}.pt"), tracks="given", **settings)


def truth_of() -> VideoSet:
    return open_dataset(made()).stored_set(INDEX).videos


def task_for(agent: Agent, videos: VideoSet | None = None) -> Task:
    data = open_dataset(made())
    return Task(
        without_answers(data.questions[INDEX]),
        lambda: observe_stored(data, INDEX),
        lambda: videos or truth_of(),
        lambda: stored_pictures(data, INDEX),
        agent.uses_truth,
    )


def correct_options(agent: Agent, task: Task) -> float:
    """Percent of options and factual questions."""
    questions = open_dataset(made()).questions[INDEX]
    return tally(mark_all([questions], {INDEX: agent.answer(task)})).per_option


@pytest.mark.parametrize("name", [pytest.param("pcr", marks=pytest.mark.slow), "cpl"])
def test_properties_and_worlds_are_the_true_ones(name: str, agent_of: Callable[..., Agent]) -> None:
    default, agent = agent_of(name), agent_of(name, properties="given", dynamics="given")
    own_task, task = task_for(default), task_for(agent)
    own, given = correct_options(default, own_task), correct_options(agent, task)
    assert given >= own
    assert given > 90.0 or name == "pcr"  # CPL gets looks from tracks; an untrained PCR has to guess them
    assert (default.uses_truth, own_task.use.most) == (False, "tracks")
    assert (agent.uses_truth, task.use.most) == (True, "truth")
    truth, found, explanation = truth_of(), agent.infer_bodies(task), agent.explain(task)
    assert found is not None
    assert [body.mass for body in found] == [body.mass for body in truth.bodies]
    products = [[one.charge * other.charge for other in truth.bodies] for one in truth.bodies]
    assert [[one.charge * other.charge for other in found] for one in found] == products
    assert explanation is not None
    assert explanation.motions is not None
    assert explanation.motions[None].shape == (TARGET_FRAMES, len(found), 2)
    change = next(iter(truth.altered))
    seen = truth.altered[change].in_view
    assert np.array_equal(explanation.motions[change][seen], truth.altered[change].positions[..., :2][seen])


def test_pcr_reasons_with_the_true_future(agent_of: Callable[..., Agent]) -> None:
    agent = agent_of("pcr", dynamics="given")
    assert isinstance(agent, Pcr)
    agent.answer(task_for(agent))
    assert agent.last is not None
    scores = agent.last[1].scenes.scores.future[0].tolist()
    truth = truth_of()
    events = events_of(truth.bodies, truth.target, SHOWN_FRAMES, TARGET_FRAMES)
    colliding = {event.bodies for event in events if event.kind == "collision"}
    assert {pair for pair, score in zip(LAYOUT.pairs, scores, strict=True) if score > 0.0} == colliding


def test_see_and_simulate_fits_only_the_true_properties() -> None:
    assert not make("see-and-simulate").uses_truth
    agent = make("see-and-simulate", tracks="given", properties="given")
    task = task_for(agent)
    found = agent.infer_bodies(task)
    assert found == truth_of().bodies
    assert list(agent.seen(task).fit.costs) == [found]  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["pcr", "cpl", "see-and-simulate"])
def test_unknown_values_are_refused(name: str) -> None:
    with pytest.raises(AgentError, match="no properties 'guessed'; there are inferred, given"):
        make(name, properties="guessed")
    if name != "see-and-simulate":
        with pytest.raises(AgentError, match="no dynamics 'guessed'; there are learned, given"):
            make(name, dynamics="guessed")


def test_truth_that_a_set_lacks_is_named(agent_of: Callable[..., Agent]) -> None:
    truth = truth_of()
    agent = agent_of("cpl", dynamics="given")
    with pytest.raises(AgentInputError, match="needs the motion after the shown frames and after changes"):
        agent.answer(task_for(agent, replace(truth, altered={})))
    agent = agent_of("cpl", properties="given")
    plain = tuple(replace(body, mass=1, charge=0) for body in truth.bodies)
    with pytest.raises(AgentInputError, match="needs masses and charges"):
        agent.answer(task_for(agent, replace(truth, bodies=plain)))


def test_the_truth_is_in_the_order_of_perception() -> None:
    truth = truth_of()
    perception = perception_of(observe_stored(open_dataset(made()), INDEX))
    count = len(truth.bodies)
    matched = match_truth(perception, truth)
    assert matched.numbers == tuple(range(count))
    assert matched.future.events == events_of(truth.bodies, truth.target, SHOWN_FRAMES, TARGET_FRAMES)
    turned = matched.of(range(count - 1, -1, -1))
    looks = perception.appearances[::-1]
    assert turned.bodies(looks) == truth.bodies[::-1]
    collisions = {event.bodies for world in matched.altered.values() for event in world.events}
    assert {tuple(sorted(count - 1 - k for k in bodies)) for bodies in collisions} == {
        event.bodies for world in turned.altered.values() for event in world.events
    }
    without = matched.of(range(1, count))
    assert all(len(bodies) < 2 or max(bodies) < count - 1 for bodies in {e.bodies for e in without.future.events})
    assert Alteration(count - 1, "heavier") not in without.altered
    changed = matched.altered[Alteration(0, "heavier" if truth.bodies[0].is_heavy else "lighter")]
    assert changed.events == events_of(truth.bodies, truth.target, 0, SHOWN_FRAMES)
