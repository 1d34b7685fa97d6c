"""CPL as an agent: it answers from exact tracks, keeps what it made of a task, and says what is wrong."""

from pathlib import Path

import pytest
import torch
from generated_dataset import made
from tiny_cpl import tiny_cpl

from tumble.comphy.agents import AgentInputError, Task, make
from tumble.comphy.agents.cpl import Cpl
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.dataset.observe import observe_stored
from tumble.comphy.models.data.sources import read_sets
from tumble.comphy.models.graph.cpl import CplTraining
from tumble.learning.harness import Budget, train
from tumble.learning.settings import TrainingError

CPU = torch.device("cpu")


@pytest.mark.parametrize("name", ["cpl", pytest.param("cpl-dpi", marks=pytest.mark.slow)])
def test_it_answers_from_exact_tracks_and_explains(name: str, tmp_path: Path) -> None:
    training = CplTraining(tiny_cpl(property_blind=name == "cpl-dpi"), read_sets(made(), limit=2), CPU, 0)
    path = tmp_path / "network.pt"
    train(training, path, Budget(steps=1), CPU)
    data = open_dataset(made())
    index = data.indices("test")[0]
    task = Task(data.questions[index], lambda: observe_stored(data, index))
    agent = make(name, checkpoint=str(path), tracks="given")
    assert isinstance(agent, Cpl)
    answers = agent.answer(task)
    assert set(answers) <= {question.id for question in task.questions.questions}
    assert len(answers) > 0.5 * len(task.questions.questions)
    explanation = agent.explain(task)
    bodies = agent.infer_bodies(task)
    assert explanation.bodies == bodies == explanation.scene.bodies  # type: ignore[union-attr]
    assert task.use.most == "tracks"
    assert agent.trained_with == "truth"


def test_unknown_tracks_and_missing_checkpoints_are_errors(tmp_path: Path) -> None:
    with pytest.raises(AgentInputError, match="no tracks 'exact'; there are detected, given"):
        Cpl(tracks="exact")
    data = open_dataset(made())
    index = data.indices("test")[0]
    task = Task(data.questions[index], lambda: observe_stored(data, index))
    with pytest.raises(TrainingError, match="No such file"):
        Cpl(checkpoint=str(tmp_path / "none.pt"), tracks="given").answer(task)
