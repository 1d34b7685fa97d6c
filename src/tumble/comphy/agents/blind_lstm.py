"""Blind-LSTM: reads the question, and each option behind it, and answers without looking at any video.

Words go through an embedding and an LSTM; its last state goes to a classifier over the answers of factual questions, or
to a single output that says whether an option is correct. What it gets right tells how far language alone goes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

from tumble.comphy.agents.agent import Asked, Model, ModelError
from tumble.comphy.agents.answer_spaces import SPACES, answer_space
from tumble.comphy.questions.answers import Given, SetAnswers, in_order
from tumble.comphy.tasks.question import CORRECT, WRONG, Question
from tumble.progress import bar

WORD_WIDTH, HIDDEN = 64, 128
BATCH, RATE, DECAY, DROPOUT = 64, 2e-3, 1e-4, 0.3
PADDING, UNKNOWN, OPTION = "<padding>", "<unknown>", "<option>"


@dataclass(frozen=True)
class Text:
    """What is read at once: a question, or a question with one of its options."""

    words: tuple[str, ...]
    is_option: bool
    answer: str | None


class Network(nn.Module):
    """Embedding, LSTM, and the two heads."""

    def __init__(self, words: int, answers: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, WORD_WIDTH, padding_idx=0)
        self.lstm = nn.LSTM(WORD_WIDTH, HIDDEN, batch_first=True)
        self.dropout = nn.Dropout(DROPOUT)
        self.answer = nn.Linear(HIDDEN, answers)
        self.correct = nn.Linear(HIDDEN, 1)

    def forward(self, numbers: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Words [text, place] and how many each text has, to logits: of answers [text, answer], of "correct" [text]."""
        embedded = self.dropout(self.embedding(numbers))
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        _, (last, _) = self.lstm(packed)
        state = self.dropout(last[-1])
        return self.answer(state), self.correct(state).squeeze(-1)


class BlindLSTM(Model):
    """Trained on questions and answers only; the same seed gives the same answers on the same machine."""

    learns = True

    def __init__(self, seed: int = 0, epochs: int = 12) -> None:
        self.seed, self.epochs = seed, epochs
        self.answers: dict[str, int] = {}
        self.words: dict[str, int] = {}
        self.network: Network | None = None

    def train(self, sets: Sequence[Asked]) -> None:
        texts = [text for asked in sets for question in asked.questions.questions for text in _texts(question)]
        if not texts or any(text.answer is None for text in texts):
            raise ModelError("the Blind-LSTM has to be trained on questions whose answers are known")
        known = sorted({word for text in texts for word in text.words} - {OPTION})
        self.words = {word: k for k, word in enumerate((PADDING, UNKNOWN, OPTION, *known))}
        possible = {in_order(answer) for space in SPACES.values() for answer in space}
        possible |= {in_order(text.answer or "") for text in texts if not text.is_option}
        self.answers = {answer: k for k, answer in enumerate(sorted(possible))}
        torch.manual_seed(self.seed)
        network = self.network = Network(len(self.words), len(self.answers)).train()
        optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
        batches = -(-len(texts) // BATCH)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=RATE, total_steps=batches * self.epochs)
        with bar("Training the Blind-LSTM", self.epochs * batches) as advance:
            for _ in range(self.epochs):
                order = torch.randperm(len(texts)).tolist()
                for first in range(0, len(order), BATCH):
                    optimiser.zero_grad()
                    loss = self._loss(network, [texts[row] for row in order[first : first + BATCH]])
                    loss.backward()  # type: ignore[no-untyped-call]
                    optimiser.step()
                    schedule.step()
                    advance(1)
        network.eval()

    def answer(self, asked: Asked) -> SetAnswers:
        if self.network is None:
            raise ModelError("the Blind-LSTM has not been trained")
        return {question.id: self._answered(self.network, question) for question in asked.questions.questions}

    def _answered(self, network: Network, question: Question) -> Given:
        with torch.no_grad():
            words, correct = network(*self._tensors(list(_texts(question))))
        if question.choices:
            verdicts = [CORRECT if logit > 0.0 else WRONG for logit in correct.tolist()]
            return {choice.id: verdict for choice, verdict in zip(question.choices, verdicts, strict=True)}
        logits = words[0].tolist()
        return max(map(in_order, answer_space(question)), key=lambda answer: logits[self.answers[answer]])

    def _loss(self, network: Network, texts: Sequence[Text]) -> Tensor:
        """Each text weighs the same, be it a question or an option."""
        words, correct = network(*self._tensors(texts))
        is_option = torch.tensor([text.is_option for text in texts])
        answers = [self.answers[in_order(text.answer or "")] for text in texts if not text.is_option]
        verdicts = [float(text.answer == CORRECT) for text in texts if text.is_option]
        of_words = functional.cross_entropy(words[~is_option], torch.tensor(answers, dtype=torch.long), reduction="sum")
        of_options = functional.binary_cross_entropy_with_logits(
            correct[is_option], torch.tensor(verdicts), reduction="sum"
        )
        return (of_words + of_options) / len(texts)

    def _tensors(self, texts: Sequence[Text]) -> tuple[Tensor, Tensor]:
        """Numbers of words [text, place], padded, and how many words each text has."""
        unknown = self.words[UNKNOWN]
        numbers = [torch.tensor([self.words.get(word, unknown) for word in text.words]) for text in texts]
        return pad_sequence(numbers, batch_first=True), torch.tensor([len(own) for own in numbers])


def _texts(question: Question) -> Iterator[Text]:
    words = _words(question.text)
    if not question.choices:
        yield Text(words, False, question.answer)
    for choice in question.choices:
        yield Text((*words, OPTION, *_words(choice.text)), True, choice.answer)


def _words(text: str) -> tuple[str, ...]:
    spaced = text.lower()
    for mark in "?,.":
        spaced = spaced.replace(mark, f" {mark} ")
    return tuple(spaced.split())
