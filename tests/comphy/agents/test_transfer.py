"""Models on sets of another world: refused, unless transfer is asked for."""

from pathlib import Path

import pytest
import torch
from div_set import BODIES, div_questions, div_set, packed_div
from tiny_cpl import tiny_cpl

from tumble.comphy.agents import AgentInputError, Task, make
from tumble.comphy.agents.task_perception import perception_in, questions_in, weights_name
from tumble.comphy.catalogue.world import DIV, PLAIN
from tumble.comphy.dataset.observe import observe_videos
from tumble.comphy.models.graph.cpl import CplTraining
from tumble.comphy.models.perceiver.perceive import perception_of
from tumble.comphy.models.registry import checkpoint_path
from tumble.learning.checkpoint import load_network
from tumble.learning.harness import Budget, train
from tumble.learning.settings import TrainingError

CPU = torch.device("cpu")


def div_task() -> Task:
    return Task(div_questions(), lambda: observe_videos(div_set()), world=DIV)


def test_a_model_of_the_world_answers_with_its_words(tmp_path: Path) -> None:
    path = tmp_path / "cpl.pt"
    train(CplTraining(tiny_cpl(world="div"), packed_div(), CPU, 0), path, Budget(steps=1), CPU)
    answers = make("cpl", checkpoint=str(path), tracks="given").answer(div_task())
    assert answers[0] == "red"
    assert answers[1] == "mug"
    assert answers[2] == "ceramic"


@pytest.mark.parametrize("name", ["perceiver", "pcr", "parser"])
def test_weights_of_the_div_world_come_with_the_package(name: str) -> None:
    path = checkpoint_path(weights_name(name, DIV, transfer=False))
    assert load_network(path, name)["config"]["world"] == DIV.name


def test_other_weights_are_of_the_plain_world_only() -> None:
    with pytest.raises(TrainingError, match="no weights of 'cpl-div' come with the package"):
        make("cpl", tracks="given").answer(div_task())


def test_another_world_has_to_be_asked_for() -> None:
    plain = str(checkpoint_path("cpl"))
    with pytest.raises(AgentInputError, match=r"trained on the plain world; give one of the div world, or .* transfer"):
        make("cpl", checkpoint=plain, tracks="given").answer(div_task())
    agent = make("cpl", tracks="given", transfer=True)
    answers = agent.answer(div_task())
    assert answers[1] in PLAIN.shapes  # it has no word for a mug
    assert [body.world for body in agent.infer_bodies(div_task()) or ()] == [PLAIN] * len(BODIES)


def test_unknown_words_are_left_out() -> None:
    changed = questions_in(div_questions(), PLAIN).questions
    assert changed[0].program == ("objects", "unique", "query_color")
    assert changed[3].program == ("objects", "filter_heavy", "count")
    assert "chair" not in changed[5].choices[0].program
    seen = perception_in(perception_of(observe_videos(div_set())), PLAIN)
    assert [look.shape for look in seen.appearances] == ["cylinder", "cube", "cylinder"]
    assert [look.material for look in seen.appearances] == ["rubber", "rubber", "metal"]
    assert perception_in(seen, PLAIN) is seen
