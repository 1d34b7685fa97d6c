"""CNN-LSTM, HCRN, MAC and ALOE: networks that answer from the pictures of the videos and the words of the questions.

Their checkpoints are not shipped: `tumble comphy train NAME` makes them. MAC and ALOE see frames through features of
the perceiver, which was trained with places and looks of bodies; CNN-LSTM and HCRN learn from questions and answers.
"""

from pathlib import Path

import torch

from tumble.comphy.agents.agent import Agent, AgentInputError
from tumble.comphy.agents.guessing import answer_space
from tumble.comphy.agents.task_perception import check_world
from tumble.comphy.catalogue.task import CORRECT, WRONG, NamedGiven, Question, Task
from tumble.comphy.catalogue.world import ObjectWorld, named_world
from tumble.comphy.models.baselines.baseline import BaselineConfig, BaselineNetwork, BaselineTraining
from tumble.comphy.models.baselines.frames import pictures_of_videos
from tumble.comphy.models.baselines.text import Vocabulary, texts_of
from tumble.comphy.models.registry import entry
from tumble.comphy.questions.program import Answer, SetAnswers, canonical_answer
from tumble.learning.checkpoint import load_network

FOLDER = Path("checkpoints")
"""Where checkpoints are looked for by default, in the working directory."""


class Baseline(Agent):
    """Loads a checkpoint when it first answers."""

    name: str
    """Of the model and its training."""
    trained_with: NamedGiven = "videos"

    def __init__(self, checkpoint: str = "", transfer: bool = False) -> None:
        """`transfer` allows a checkpoint of another world than that of the sets."""
        self.transfer = transfer
        self.path = Path(checkpoint) if checkpoint else FOLDER / f"{self.name}.pt"
        self._loaded: tuple[BaselineConfig, BaselineNetwork, Vocabulary, dict[str, int]] | None = None

    def answer(self, task: Task) -> SetAnswers:
        config, network, vocabulary, answers = self._load()
        world = named_world(config.world)
        check_world(self.name, world, task, self.transfer)
        questions = task.questions.questions
        texts = [list(texts_of(question)) for question in questions]
        flat = [text for some in texts for text in some]
        if not flat:
            return {}
        words, lengths = vocabulary.tensors(flat)
        pictures = pictures_of_videos(task.videos(), config.counts, config.size)
        with torch.inference_mode():
            scores = network.answers_to(pictures, words[None], lengths[None])
        answer_logits, correct_logits = scores.answers[0].tolist(), scores.correct[0].tolist()
        result: dict[int, Answer] = {}
        first = 0
        for question, some in zip(questions, texts, strict=True):
            part = slice(first, first + len(some))
            first = part.stop
            if question.choices:
                verdicts = [CORRECT if logit > 0.0 else WRONG for logit in correct_logits[part]]
                result[question.id] = dict(zip((choice.id for choice in question.choices), verdicts, strict=True))
            else:
                result[question.id] = _best(question, answer_logits[part][0], answers, (task.world, world))
        return result

    def _load(self) -> tuple[BaselineConfig, BaselineNetwork, Vocabulary, dict[str, int]]:
        if self._loaded is None:
            if not self.path.is_file():
                raise AgentInputError(
                    f"{self.path}: there is no checkpoint of {self.name}, which is not shipped; make it with "
                    f"`tumble comphy train {self.name} --data … --out {self.path}`, or give another: checkpoint=FILE"
                )
            content = load_network(self.path, self.name)
            training = entry(self.name).load()
            assert isinstance(training, type)
            assert issubclass(training, BaselineTraining)
            config = training.config_class(**content["config"])
            vocabulary = Vocabulary(tuple(content["extra"]["words"]))
            answers = {answer: k for k, answer in enumerate(content["extra"]["answers"])}
            network = training.network_class(config, len(vocabulary), len(answers))  # type: ignore[call-arg, arg-type]
            network.load_state_dict(content["network"])
            self._loaded = config, network.eval(), vocabulary, answers
        return self._loaded


def _best(question: Question, logits: list[float], answers: dict[str, int], worlds: tuple[ObjectWorld, ...]) -> str:
    """The most likely of the possible answers: of those in the first world of which some are known."""
    for world in worlds:
        known = [answer for answer in map(canonical_answer, answer_space(question, world)) if answer in answers]
        if known:
            return max(known, key=lambda answer: logits[answers[answer]])
    raise AgentInputError(f"question {question.id}: the model knows none of its possible answers")


class CnnLstm(Baseline):
    """Frame features averaged over time, and an LSTM over the words."""

    name = "cnn-lstm"


class CnnLstmRef(Baseline):
    """CNN-LSTM that sees the references too."""

    name = "cnn-lstm-ref"


class Hcrn(Baseline):
    """Relation units over frames and clips, given motion and question."""

    name = "hcrn"


class Mac(Baseline):
    """Reasoning steps that attend to words and to places of the video."""

    name = "mac"
    trained_with = "tracks"


class MacRef(Baseline):
    """MAC that sees the references too."""

    name = "mac-ref"
    trained_with = "tracks"


class Aloe(Baseline):
    """A transformer over words and the objects found by slot attention."""

    name = "aloe"
    trained_with = "tracks"


class AloeRef(Baseline):
    """ALOE that sees the references too."""

    name = "aloe-ref"
    trained_with = "tracks"
