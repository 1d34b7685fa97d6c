"""What the trainings of all baselines share: settings, batches, augmentation, heads and losses.

A batch is some sets, each in one of the versions in which it was rendered, with a few of its questions and options.
Besides the answers, one visible attribute ("red", "metal", "cube") is masked in some texts and guessed from the
videos: it needs no label, and teaches what the words look like.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.comphy.catalogue.world import PLAIN
from tumble.comphy.models.baselines.frames import (
    BatchPictures,
    FrameCounts,
    Recolouring,
    TableRemoval,
    Videos,
    render_bank,
)
from tumble.comphy.models.baselines.frozen_features import FrozenFeatures
from tumble.comphy.models.baselines.question_bank import QuestionBank, TextBatch, vocabulary_of
from tumble.comphy.models.baselines.text import answers_of
from tumble.comphy.models.data.packed_sets import PackedSets
from tumble.learning.harness import LossTraining, Optimisation


@dataclass(frozen=True, eq=False)
class Scores:
    """Logits of texts."""

    answers: Tensor
    """[set, text, answer], for factual questions."""
    correct: Tensor
    """[set, text], for options."""
    words: Tensor
    """[set, text, word], for texts with a masked word."""


class GivenText(nn.Module):
    """Joins a state with that of the text and with their product: a text can turn an answer into its opposite."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.factors = nn.Linear(width, width)

    def forward(self, states: Tensor, text: Tensor) -> Tensor:
        """[..., width] each to [..., 3 * width]."""
        return torch.cat([states, text, states * torch.tanh(self.factors(text))], dim=-1)


class Heads(nn.Module):
    """Two linear layers for answers, for options and for masked words."""

    def __init__(self, inputs: int, width: int, answers: int, words: int, dropout: float) -> None:
        super().__init__()

        def head(outputs: int) -> nn.Sequential:
            hidden = nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Dropout(dropout))
            return nn.Sequential(*hidden, nn.Linear(width, outputs))

        self.answers, self.correct, self.words = head(answers), head(1), head(words)

    def forward(self, states: Tensor) -> Scores:
        """States [set, text, width]."""
        return Scores(self.answers(states), self.correct(states).squeeze(-1), self.words(states))


@dataclass(frozen=True)
class BaselineConfig:
    """Settings that all baselines have."""

    references: bool = False
    """Whether the network sees the references too."""
    picture_width: int = 96
    """In pixels, a multiple of 8; the perceiver's features, where they are used, need its own size."""
    picture_height: int = 64
    frames: int = 25
    """Of the target."""
    reference_frames: int = 10
    """Of each reference."""
    perceiver: str = ""
    """A checkpoint of the perceiver, for its features; empty: the one that comes with the package."""
    versions: int = 2
    """In which each set is rendered: the first with its own looks, others with permuted colours and materials."""
    sets: int = 32
    """In a batch."""
    factual_texts: int = 3
    """Factual questions of each set in a batch."""
    option_texts: int = 5
    """Options of each set in a batch."""
    masked_texts: int = 4
    """Texts with a masked word of each set in a batch."""
    masked_weight: float = 0.5
    """Of the loss of masked words at first; it falls to 0 along the training."""
    option_weight: float = 1.0
    """Of the loss of options."""
    shift: int = 4
    """Largest shift of pictures, in pixels, as augmentation; pictures are also mirrored."""
    brightness: float = 0.1
    """Spread of the brightness of pictures, as augmentation."""
    noise: float = 0.05
    """Standard deviation of the noise of pixels or features, relative to the spread of their values."""
    dropout: float = 0.15
    learning_rate: float = 5e-4
    weight_decay: float = 0.02
    bfloat16: bool = True
    world: str = PLAIN.name
    """Of the sets."""
    stages: int = 240
    """Different stages of pictures, in a world that has stages."""

    @property
    def counts(self) -> FrameCounts:
        """Numbers of frames."""
        return FrameCounts(self.frames, self.reference_frames if self.references else 0)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of pictures."""
        return self.picture_width, self.picture_height


@dataclass(frozen=True, eq=False)
class Batch:
    """Sets with three kinds of texts, which follow each other in `words`, `lengths` and the scores."""

    videos: Videos
    factual: TextBatch
    options: TextBatch
    masked: TextBatch
    used_words: Tensor
    """float [set, word]: 1 for words that texts of a set use."""

    @property
    def words(self) -> Tensor:
        """int64 [set, text, position]."""
        return torch.cat([self.factual.words, self.options.words, self.masked.words], dim=1)

    @property
    def lengths(self) -> Tensor:
        """int64 [set, text]."""
        return torch.cat([self.factual.lengths, self.options.lengths, self.masked.lengths], dim=1)


class BaselineNetwork(nn.Module):
    """A network from videos and texts to scores."""

    def __init__(self, sight: TableRemoval | FrozenFeatures) -> None:
        """`sight`: from pictures to videos."""
        super().__init__()
        self.sight = sight

    @abstractmethod
    def forward(self, videos: Videos, words: Tensor, lengths: Tensor) -> Scores:
        """Videos of sets, words [set, text, position] and lengths [set, text] to scores."""

    def answers_to(self, pictures: BatchPictures, words: Tensor, lengths: Tensor) -> Scores:
        """Scores from pictures."""
        scores: Scores = self(self.sight(pictures), words, lengths)
        return scores


class BaselineTraining(LossTraining):
    """The training of a baseline; its class gives names and the classes of settings and network."""

    config_class: type[BaselineConfig]
    network_class: type[BaselineNetwork]
    base_name: str

    def __init__(self, config: BaselineConfig, sets: PackedSets, device: torch.device, seed: int) -> None:
        self.config, self.device = config, device
        self.name = self.base_name + ("-ref" if config.references else "")
        self.optimisation = Optimisation(
            learning_rate=config.learning_rate,
            weight_decay=config.weight_decay,
            warm_up=0.05,
            bfloat16=config.bfloat16,
        )
        self.sets = len(sets)
        recolouring = Recolouring.draw(config.versions, len(sets), seed, sets.world)
        self.vocabulary = vocabulary_of(sets.questions, sets.world)
        self.questions = QuestionBank(sets.questions, self.vocabulary, recolouring, device)
        torch.manual_seed(seed)
        self.answers = answers_of(sets.world)
        network = self.network_class(config, len(self.vocabulary), len(self.answers))  # type: ignore[call-arg, arg-type]
        self.network: BaselineNetwork = network.to(device)
        sight = self.network.sight
        if isinstance(sight, FrozenFeatures):
            sight.load(config.perceiver)
            self.bank = render_bank(
                sets, recolouring, config.counts, config.size, device, seed, sight.encode, config.stages
            )
        else:
            self.bank = render_bank(sets, recolouring, config.counts, config.size, device, seed, stages=config.stages)
            sight.background.copy_(self.bank.background())

    def extra(self) -> dict[str, Any]:
        return {"words": list(self.vocabulary.words), "answers": list(self.answers)}

    def losses(self, step: int, progress: float) -> Mapping[str, Tensor]:
        batch = self.draw_batch()
        return self.answer_losses(self.network(batch.videos, batch.words, batch.lengths), batch, progress)

    def draw_batch(self) -> Batch:
        """A random batch."""
        config = self.config
        versions, rows = self.draw_rows(config.sets)
        mirrored = bool(torch.rand(()) < 0.5)
        return Batch(
            self.draw_videos(versions, rows, mirrored),
            self.questions.draw_factual(versions, rows, config.factual_texts, mirrored),
            self.questions.draw_options(versions, rows, config.option_texts),
            self.questions.draw_masked(versions, rows, config.masked_texts),
            self.questions.used_words(versions, rows),
        )

    def answer_losses(self, scores: Scores, batch: Batch, progress: float) -> dict[str, Tensor]:
        """The losses of the scores of a batch."""
        masked_weight = self.config.masked_weight * (1.0 - progress)
        return answer_losses(scores, batch, self.config.option_weight, masked_weight)

    def draw_rows(self, count: int) -> tuple[Tensor, Tensor]:
        """int64 [count] each: versions and rows of random sets."""
        rows = torch.randint(self.sets, (count,), device=self.device)
        return torch.randint(self.config.versions, (count,), device=self.device), rows

    def draw_videos(self, versions: Tensor, rows: Tensor, mirrored: bool) -> Videos:
        """The videos of sets in some versions, with augmentation."""
        assert isinstance(self.network.sight, TableRemoval)
        return self.augmented(self.network.sight(self.bank.pictures(versions, rows)), mirrored)

    def augmented(self, videos: Videos, mirrored: bool) -> Videos:
        """Videos that are shifted, mirrored, brighter or darker, with noise; all of a batch are shifted alike."""
        reach = self.config.shift
        across, down = torch.randint(-reach, reach + 1, (2,)).tolist()
        brightness = 1.0 + self.config.brightness * torch.randn(len(videos.target), device=self.device)

        def change(frames: Tensor) -> Tensor:
            if mirrored:
                frames = frames.flip(-1)
            frames = functional.pad(frames, (across, -across, down, -down))
            frames = frames * brightness.view(-1, *[1] * (frames.dim() - 1))
            noise: Tensor = self.config.noise * torch.randn_like(frames)
            return frames + noise

        return Videos(change(videos.target), None if videos.references is None else change(videos.references))


def answer_losses(scores: Scores, batch: Batch, option_weight: float, masked_weight: float) -> dict[str, Tensor]:
    """Losses of the three kinds of texts."""
    factual, options, masked = batch.factual, batch.options, batch.masked
    first, second = factual.words.shape[1], factual.words.shape[1] + options.words.shape[1]
    answers = functional.cross_entropy(
        scores.answers[:, :first].float().flatten(0, 1), factual.targets.flatten(), reduction="none"
    )
    correct = functional.binary_cross_entropy_with_logits(
        scores.correct[:, first:second].float(), options.targets.float(), reduction="none"
    )
    words = functional.cross_entropy(
        scores.words[:, second:].float().flatten(0, 1), masked.targets.flatten(), reduction="none"
    )
    return {
        "answers": _mean(answers, factual.valid),
        "options": option_weight * _mean(correct, options.valid),
        "masked words": masked_weight * _mean(words, masked.valid),
    }


def _mean(losses: Tensor, valid: Tensor) -> Tensor:
    weights = valid.flatten().float()
    return (losses.flatten() * weights).sum() / weights.sum().clamp(min=1.0)
