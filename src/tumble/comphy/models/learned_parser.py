"""The learned parser: a network that translates questions and options to programs, and its training.

A bidirectional LSTM reads words, and two LSTMs with attention between them write a program. The first LSTM of the
decoder follows the tokens written so far and decides which words to attend to; the second one follows what was
attended to, and predicts the next token. So all tokens of a known program are trained on at once: the texts and
programs of questions and options, and random texts of the templates.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from tumble.comphy.catalogue.task import Choice, Kind, Program, Question, QuestionSet
from tumble.comphy.catalogue.world import ALL_MATERIALS, ALL_SHAPES, PLAIN, ObjectWorld, named_world
from tumble.comphy.models.data.packed_sets import PackedSets
from tumble.comphy.models.registry import checkpoint_path
from tumble.comphy.questions.parser import ParseError, random_texts
from tumble.comphy.questions.phrases import normalise_text
from tumble.comphy.questions.program import LITERALS, OPERATORS, ProgramError, Type, check_program
from tumble.learning.checkpoint import load_network
from tumble.learning.harness import LossTraining, Optimisation, step_seed
from tumble.learning.settings import TrainingError

PADDING, UNKNOWN = 0, 1
"""Numbers of a padded place and of a word that is not in the vocabulary; other words follow."""
END = 1
"""The number of the token that starts and ends a program; PADDING is 0 here too, other tokens follow."""


@lru_cache
def program_tokens(world: ObjectWorld = PLAIN) -> tuple[str, ...]:
    """The operators of programs, and the literals of a world."""
    other = {*ALL_MATERIALS, *ALL_SHAPES} - {*world.materials, *world.shapes}
    return (*OPERATORS, *(token for token in LITERALS if token not in other))


def token_count(world: ObjectWorld = PLAIN) -> int:
    """How many numbers of tokens there are."""
    return len(program_tokens(world)) + 2


@lru_cache
def _token_numbers(world: ObjectWorld) -> dict[str, int]:
    return {token: k + 2 for k, token in enumerate(program_tokens(world))}


def words_of(text: str) -> list[str]:
    """The words of a text in lower case and in the singular, without articles and punctuation.

    >>> words_of("How many of the grey Cubes are heavy?")
    ['how', 'many', 'of', 'gray', 'cube', 'is', 'heavy']
    """
    return normalise_text(text).split()


@dataclass(frozen=True)
class Vocabulary:
    """The words that a parser knows."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Vocabulary":
        """All words of some texts."""
        return cls(tuple(sorted({word for text in texts for word in words_of(text)})))

    def __len__(self) -> int:
        return len(self.words) + 2

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: k + 2 for k, word in enumerate(self.words)}

    def numbers(self, text: str) -> list[int]:
        """The numbers of a text's words."""
        return [self._numbers.get(word, UNKNOWN) for word in words_of(text)]

    def unknown(self, text: str) -> list[str]:
        """The words of a text that are not in the vocabulary."""
        return [word for word in words_of(text) if word not in self._numbers]


def program_numbers(program: Program, world: ObjectWorld = PLAIN) -> list[int]:
    """The numbers of a program's tokens, between two END."""
    numbers = _token_numbers(world)
    unknown = [token for token in program if token not in numbers]
    if unknown:
        raise TrainingError(f"program {' '.join(program)}: there is no operator or literal {unknown[0]!r}")
    return [END, *(numbers[token] for token in program), END]


def program_of(numbers: Iterable[int], world: ObjectWorld = PLAIN) -> Program:
    """The program of numbers, which ends before the first END."""
    tokens: list[str] = []
    for number in numbers:
        if number <= END:
            break
        tokens.append(program_tokens(world)[number - 2])
    return tuple(tokens)


def padded_rows(rows: Sequence[Sequence[int]]) -> np.ndarray:
    """int16 [row, place]: rows of numbers, filled up with PADDING."""
    array = np.full((len(rows), max(map(len, rows))), PADDING, np.int16)
    for k, row in enumerate(rows):
        array[k, : len(row)] = row
    return array


@dataclass(frozen=True)
class ParserShape:
    """Sizes of the network."""

    word_width: int = 64
    """Of the embeddings of words and tokens."""
    width: int = 128
    """Of the states of each LSTM."""
    dropout: float = 0.1


class Encoded(NamedTuple):
    """What the encoder makes of texts."""

    keys: Tensor
    """float [text, word, width]: compared with the decoder's state."""
    values: Tensor
    """float [text, word, width]: what the decoder gets of the words that it attends to."""
    padding: Tensor
    """bool [text, word]: where there is no word."""

    def repeated(self, rows: Tensor) -> "Encoded":
        """Some of the texts, some of them several times."""
        return Encoded(self.keys[rows], self.values[rows], self.padding[rows])


LstmState = tuple[Tensor, Tensor]
"""float [1, text, width] each."""
DecoderState = tuple[LstmState, LstmState] | None
"""Of both LSTMs; None at the start."""


class ParserNetwork(nn.Module):
    """Words of texts to the logits of program tokens."""

    def __init__(self, shape: ParserShape, vocabulary_size: int, world: ObjectWorld = PLAIN) -> None:
        super().__init__()
        self.world = world
        tokens = token_count(world)
        width = shape.width
        self.words = nn.Embedding(vocabulary_size, shape.word_width, padding_idx=PADDING)
        self.tokens = nn.Embedding(tokens, shape.word_width, padding_idx=PADDING)
        self.encoder = nn.LSTM(shape.word_width, width, batch_first=True, bidirectional=True)
        self.key = nn.Linear(2 * width, width, bias=False)
        self.value = nn.Linear(2 * width, width, bias=False)
        self.attending = nn.LSTM(shape.word_width, width, batch_first=True)
        self.writing = nn.LSTM(2 * width, width, batch_first=True)
        self.output = nn.Linear(width, tokens)
        self.dropout = nn.Dropout(shape.dropout)

    def encode(self, words: Tensor, lengths: Tensor) -> Encoded:
        """Reads texts: words, int64 [text, word], and their numbers of words, int64 [text] on the CPU, at least 1."""
        embedded = self.dropout(self.words(words))
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.encoder(packed)[0], batch_first=True, total_length=words.shape[1])
        states = self.dropout(states)
        return Encoded(self.key(states), self.value(states), words == PADDING)

    def decode(self, encoded: Encoded, tokens: Tensor, state: DecoderState = None) -> tuple[Tensor, DecoderState]:
        """float [text, place, token]: the logits of the token after each of `tokens`, int64 [text, place]."""
        first, second = state if state is not None else (None, None)
        queries, first = self.attending(self.dropout(self.tokens(tokens)), first)
        scores = queries @ encoded.keys.transpose(1, 2) / queries.shape[-1] ** 0.5
        weights = scores.masked_fill(encoded.padding[:, None], float("-inf")).softmax(dim=-1)
        attended = torch.cat([queries, weights @ encoded.values], dim=-1)
        written, second = self.writing(attended, second)
        return self.output(self.dropout(written)), (first, second)


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


class ParserTraining(LossTraining):
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

    def extra(self) -> dict[str, Any]:
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
                torch.from_numpy(padded_rows(words)).to(device),
                torch.tensor([len(own) for own in words]),
                torch.from_numpy(padded_rows([programs[k] for k in rows])).to(device),
            )
        )
    return buckets


BATCH = 256
"""Texts that are parsed together."""
BEAM = 8
"""Programs that are followed for a text of which the most likely program is not well formed."""
LENGTH_MARGIN = 8
"""Tokens by which a program may be longer than the longest one in training."""
ANSWER_TYPES = frozenset(Type) - {
    Type.OBJECTS,
    Type.EVENTS,
    Type.MASSES,
    Type.FRAME,
    Type.ORDER,
    Type.CHANGE,
    Type.NULL,
}
"""What programs of factual questions and options may give: answers, or the event or object of an option."""


class LearnedParser:
    """Translates questions and options to programs."""

    def __init__(self, network: ParserNetwork, vocabulary: Vocabulary, longest: int) -> None:
        self.network, self.vocabulary, self.longest = network.eval(), vocabulary, longest + LENGTH_MARGIN
        self.world = network.world

    @classmethod
    def load(cls, checkpoint: str | Path = "", device: torch.device | str = "cpu") -> "LearnedParser":
        """The parser of a checkpoint; without one, the parser that comes with the package."""
        path = checkpoint_path(ParserTraining.name, checkpoint)
        content = load_network(path, ParserTraining.name)
        try:
            vocabulary = Vocabulary(tuple(content["extra"]["words"]))
            config = ParserConfig(**content["config"])
            network = ParserNetwork(config.shape, len(vocabulary), named_world(config.world))
            network.load_state_dict({name: value.float() for name, value in content["network"].items()})
            longest = int(content["extra"]["longest"])
        except (KeyError, TypeError, ValueError, OverflowError, RuntimeError) as error:
            raise TrainingError(f"{path}: not a checkpoint of this version's parser ({type(error).__name__})") from None
        return cls(network.to(device), vocabulary, longest)

    def programs(self, texts: Sequence[str]) -> list[Program]:
        """The program of each text; an error where none that is well formed is likely."""
        different = sorted(set(texts), key=lambda text: (len(text), text))
        found: dict[str, Program] = {}
        for start in range(0, len(different), BATCH):
            part = different[start : start + BATCH]
            found.update(zip(part, self._parse(part), strict=True))
        return [found[text] for text in texts]

    def question(self, text: str, choices: Sequence[str] = ()) -> Question:
        """The question of a text, with the given options, without an answer; its family is not known."""
        program, *options = self.programs([text, *choices])
        numbered = enumerate(zip(choices, options, strict=True))
        own_choices = tuple(Choice(number, option, own, None) for number, (option, own) in numbered)
        return Question(0, kind_of(program), "", text, program, choices=own_choices)

    def unknown_words(self, text: str) -> list[str]:
        """The words of a text that the parser does not know."""
        return self.vocabulary.unknown(text)

    @torch.inference_mode()
    def _parse(self, texts: Sequence[str]) -> list[Program]:
        numbers = [self.vocabulary.numbers(text) or [UNKNOWN] for text in texts]
        words = torch.from_numpy(padded_rows(numbers)).long().to(self._device)
        encoded = self.network.encode(words, torch.tensor([len(own) for own in numbers]))
        programs = [program_of(row, self.network.world) for row in self._greedy(encoded).tolist()]
        for k, program in enumerate(programs):
            if not is_well_formed(program):
                programs[k] = self._best_well_formed(texts[k], encoded.repeated(torch.tensor([k], device=self._device)))
        return programs

    def _greedy(self, encoded: Encoded) -> Tensor:
        """int64 [text, place]: the most likely token at each place, given those before it."""
        token = torch.full((len(encoded.keys), 1), END, device=self._device)
        ended = torch.zeros_like(token, dtype=torch.bool)
        tokens, state = [], None
        for _ in range(self.longest + 1):
            logits, state = self.network.decode(encoded, token, state)
            token = logits.argmax(dim=-1)
            tokens.append(token)
            ended |= token <= END
            if bool(ended.all()):
                break
        return torch.cat(tokens, dim=1)

    def _best_well_formed(self, text: str, encoded: Encoded) -> Program:
        """The most likely program of one text that is well formed, among those that a beam search finds."""
        beams = torch.zeros((1, 0), dtype=torch.long, device=self._device)
        scores = torch.zeros(1, device=self._device)
        token, state = torch.full((1, 1), END, device=self._device), None
        found: list[tuple[float, Program]] = []
        for _ in range(self.longest + 1):
            logits, state = self.network.decode(encoded.repeated(token.new_zeros(len(token))), token, state)
            assert state is not None
            totals = scores[:, None] + logits[:, -1].log_softmax(dim=-1)
            scores, places = totals.flatten().topk(min(BEAM, totals.numel()))
            rows, tokens = places // totals.shape[1], places % totals.shape[1]
            beams = torch.cat([beams[rows], tokens[:, None]], dim=1)
            ended = tokens <= END
            found += [
                (float(scores[k]), program_of(beams[k].tolist(), self.network.world))
                for k in ended.nonzero().flatten().tolist()
            ]
            rows, beams, scores = rows[~ended], beams[~ended], scores[~ended]
            if not len(beams) or len(found) >= BEAM:
                break
            token = beams[:, -1:]
            state = (
                (state[0][0][:, rows], state[0][1][:, rows]),
                (state[1][0][:, rows], state[1][1][:, rows]),
            )
        well_formed = [(score, program) for score, program in found if is_well_formed(program)]
        if not well_formed:
            unknown = ", ".join(self.unknown_words(text))
            note = f"; it does not know these words: {unknown}" if unknown else ""
            raise ParseError(f"can't parse {text!r}: the learned parser finds no well-formed program{note}")
        return max(well_formed)[1]

    @property
    def _device(self) -> torch.device:
        return self.network.output.weight.device


def is_well_formed(program: Program) -> bool:
    """Whether a program is that of a factual question or an option, or, after an option's, of a multiple choice."""
    for stack, results in (((), ANSWER_TYPES), ((Type.EVENT,), (Type.YES_NO,))):
        try:
            if check_program(program, stack) in results:
                return True
        except ProgramError:
            continue
    return False


def kind_of(program: Program) -> Kind:
    """The kind of question that has this program."""
    if "unseen_events" in program:
        return "predictive"
    return "counterfactual" if {"filter_counterfact", "counterfact_events"} & set(program) else "factual"
