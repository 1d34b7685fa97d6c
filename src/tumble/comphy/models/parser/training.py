"""Trains the parser: on the texts and programs of questions and options, and on random texts of the templates."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tumble.comphy.catalogue.task import Program, QuestionSet
from tumble.comphy.catalogue.world import PLAIN, ObjectWorld
from tumble.comphy.models.data.packed_sets import PackedSets
from tumble.comphy.models.parser.network import ParserNetwork, ParserShape
from tumble.comphy.models.parser.tokens import PADDING, UNKNOWN, Vocabulary, padded, program_numbers
from tumble.comphy.questions.parser import random_texts
from tumble.learning.errors import TrainingError
from tumble.learning.trainer import Optimisation, Training, step_seed


@dataclass(frozen=True)
class ParserConfig:
    """Settings of the parser."""

    word_width: int = 64
    """Of the embeddings of words and tokens."""
    width: int = 128
    """Of the states of each LSTM."""
    dropout: float = 0.1
    random_texts: int = 30_000
    """Random texts of the question templates to train on, besides those of the sets."""
    unknown_share: float = 0.01
    """Share of words that are replaced by the unknown word, so that a text with such a word can be parsed."""
    batch: int = 64
    """Texts of a step."""
    buckets: int = 8
    """Groups of texts whose programs are about as long; a batch is from one of them, so that little is padded."""
    learning_rate: float = 3e-3
    world: str = PLAIN.name
    """Of the sets."""

    @property
    def shape(self) -> ParserShape:
        """The sizes of the network."""
        return ParserShape(self.word_width, self.width, self.dropout)


@dataclass(frozen=True)
class Bucket:
    """Texts with programs of about the same length."""

    words: Tensor
    """int16 [text, word]."""
    lengths: Tensor
    """int64 [text], on the CPU: numbers of words."""
    programs: Tensor
    """int16 [text, place]."""


class ParserTraining(Training):
    """Trains the parser's network with cross entropy on the next token, given all tokens before it."""

    config_class = ParserConfig
    name = "parser"
    network: ParserNetwork

    def __init__(self, config: ParserConfig, sets: PackedSets, device: torch.device, seed: int) -> None:
        self.config, self.device, self.seed = config, device, seed
        pairs = texts_and_programs(sets.questions)
        if not pairs:
            raise TrainingError("there are no questions with programs to train the parser on")
        pairs += random_texts(config.random_texts, f"parser {seed}", sets.world)  # frequent texts stay frequent
        self.vocabulary = Vocabulary.of(text for text, _ in pairs)
        self.longest = max(len(program) for _, program in pairs)
        self.buckets = make_buckets(pairs, self.vocabulary, config.buckets, device, sets.world)
        torch.manual_seed(seed)
        self.network = ParserNetwork(config.shape, len(self.vocabulary), sets.world).to(device)
        self.optimisation = Optimisation(learning_rate=config.learning_rate, weight_decay=1e-5)

    def losses(self, step: int, progress: float) -> Mapping[str, Tensor]:
        """The mean cross entropy of a token."""
        draws = np.random.Generator(np.random.PCG64(step_seed(self.seed, step)))
        bucket = self.buckets[draws.integers(len(self.buckets))]
        rows = torch.from_numpy(draws.integers(len(bucket.lengths), size=self.config.batch))
        lengths = bucket.lengths[rows]
        rows = rows.to(self.device)
        words, programs = bucket.words[rows].long(), bucket.programs[rows].long()
        hidden = torch.rand(words.shape, device=self.device) < self.config.unknown_share
        encoded = self.network.encode(words.masked_fill(hidden & (words != PADDING), UNKNOWN), lengths)
        logits, _ = self.network.decode(encoded, programs[:, :-1])
        return {
            "token": functional.cross_entropy(logits.flatten(0, 1), programs[:, 1:].flatten(), ignore_index=PADDING)
        }

    def extra_state(self) -> dict[str, Any]:
        """The vocabulary, and the length of the longest program."""
        return {"words": list(self.vocabulary.words), "longest": self.longest}


def texts_and_programs(sets: Iterable[QuestionSet]) -> list[tuple[str, Program]]:
    """The texts of questions and options, and their programs."""
    pairs = []
    for questions in sets:
        for question in questions.questions:
            pairs.append((question.text, question.program))
            pairs += [(choice.text, choice.program) for choice in question.choices]
    return pairs


def make_buckets(
    pairs: Sequence[tuple[str, Program]],
    vocabulary: Vocabulary,
    count: int,
    device: torch.device,
    world: ObjectWorld = PLAIN,
) -> list[Bucket]:
    """Texts and programs as tensors, in a number of equally large groups by the length of the program."""
    texts = [vocabulary.numbers(text) or [UNKNOWN] for text, _ in pairs]
    programs = [program_numbers(program, world) for _, program in pairs]
    order = np.argsort([len(program) for program in programs], kind="stable")
    buckets = []
    for rows in np.array_split(order, min(count, len(order))):
        words = [texts[k] for k in rows]
        buckets.append(
            Bucket(
                torch.from_numpy(padded(words)).to(device),
                torch.tensor([len(own) for own in words]),
                torch.from_numpy(padded([programs[k] for k in rows])).to(device),
            )
        )
    return buckets
