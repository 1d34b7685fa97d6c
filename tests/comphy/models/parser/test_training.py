"""The parser learns, resumes to the same weights, and its checkpoint can be loaded."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sample_set import question_set

torch = pytest.importorskip("torch")

from tumble.comphy.catalogue.task import Question, QuestionSet
from tumble.comphy.catalogue.world import PLAIN
from tumble.comphy.models.learned_parser import LearnedParser, ParserConfig, ParserTraining, texts_and_programs
from tumble.comphy.models.registry import entry
from tumble.learning.checkpoint import export_weights
from tumble.learning.harness import Budget, train
from tumble.learning.settings import TrainingError

CPU = torch.device("cpu")
SMALL = ParserConfig(word_width=16, width=32, dropout=0.0, random_texts=0, batch=8, buckets=2, learning_rate=2e-2)
TEXTS = {
    "How many cubes are there?": ("objects", "cube", "filter_shape", "count"),
    "What will happen next?": ("unseen_events", "belong_to"),
    "Are there any heavy objects?": ("objects", "filter_heavy", "exist"),
    "How many collisions happen?": ("events", "objects", "filter_collision", "count"),
}


def sets() -> Any:
    """A few questions."""
    questions = (Question(k, "factual", "", text, program) for k, (text, program) in enumerate(TEXTS.items()))
    return SimpleNamespace(questions=(QuestionSet(0, tuple(questions)),), world=PLAIN)


def test_it_learns_to_parse(tmp_path: Path) -> None:
    path = tmp_path / "parser.pt"
    train(ParserTraining(SMALL, sets(), CPU, 0), path, Budget(steps=150), CPU)
    export_weights(path, tmp_path / "exported.pt")
    parser = LearnedParser.load(tmp_path / "exported.pt")
    assert parser.programs(list(TEXTS)) == list(TEXTS.values())
    assert parser.programs([*TEXTS][2:3]) == [*TEXTS.values()][2:3], "a text is parsed alone as among others"


def test_training_resumes_to_the_same_weights(tmp_path: Path) -> None:
    def weights(name: str) -> Any:
        training = ParserTraining(SMALL, sets(), CPU, 0)
        train(training, tmp_path / name, Budget(steps=6), CPU)
        return training.network.state_dict()

    whole = weights("whole.pt")
    stopped = ParserTraining(SMALL, sets(), CPU, 0)
    losses = stopped.losses

    def stop_at_four(step: int, progress: float) -> Any:
        if step == 4:
            raise KeyboardInterrupt
        return losses(step, progress)

    stopped.losses = stop_at_four
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tumble.learning.harness.CHECKPOINT_SECONDS", 0.0)
        with pytest.raises(KeyboardInterrupt):
            train(stopped, tmp_path / "resumed.pt", Budget(steps=6), CPU)
    resumed = weights("resumed.pt")
    assert all(torch.equal(resumed[name], value) for name, value in whole.items())


def test_questions_and_options_are_trained_on() -> None:
    pairs = texts_and_programs([question_set()])
    assert ("The red cube and the blue sphere would collide", ("all_events", "unique")) in pairs
    assert len(pairs) == 6


def test_random_texts_add_words() -> None:
    training = ParserTraining(ParserConfig(random_texts=200), sets(), CPU, 0)
    assert training.vocabulary.unknown("Does the purple cube weigh more than the cyan object?") == []
    assert sum(len(bucket.lengths) for bucket in training.buckets) > 150
    assert sum(value.numel() for value in training.network.parameters()) <= 1_000_000


def test_no_questions_are_refused() -> None:
    with pytest.raises(TrainingError, match="no questions"):
        ParserTraining(SMALL, SimpleNamespace(questions=(), world=PLAIN), CPU, 0)


def test_it_is_registered() -> None:
    assert entry("parser").load() is ParserTraining
