"""Blind-LSTM: reads the question, followed by an option if it has any, and answers without using any video.

Words go through an embedding and an LSTM. Its last state goes to a classifier over the answers of factual questions, or
to a single output that says whether an option is correct. Its accuracy is what language alone achieves.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence

from tumble.comphy.agents.agent import Agent, AgentInputError
from tumble.comphy.agents.guessing import answer_space, answers_by_operator
from tumble.comphy.catalogue.task import CORRECT, WRONG, Question, Task
from tumble.comphy.catalogue.world import ObjectWorld
from tumble.comphy.models.baselines.text import Text, Vocabulary, texts_of
from tumble.comphy.questions.program import Answer, SetAnswers, canonical_answer
from tumble.progress import bar

WORD_WIDTH, HIDDEN = 64, 128
BATCH, RATE, DECAY, DROPOUT = 64, 2e-3, 1e-4, 0.3


class Network(nn.Module):
    """Embedding, LSTM, and the two heads."""

    def __init__(self, words: int, answers: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, WORD_WIDTH, padding_idx=0)
        self.lstm = nn.LSTM(WORD_WIDTH, HIDDEN, batch_first=True)
        self.dropout = nn.Dropout(DROPOUT)
        self.answer = nn.Linear(HIDDEN, answers)
        self.correct = nn.Linear(HIDDEN, 1)

    def forward(self, word_ids: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Word ids [text, position] and lengths [text] to logits of answers [text, answer] and of "correct" [text]."""
        embedded = self.dropout(self.embedding(word_ids))
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        _, (last, _) = self.lstm(packed)
        state = self.dropout(last[-1])
        return self.answer(state), self.correct(state).squeeze(-1)


class BlindLSTM(Agent):
    """Learns from questions and answers only; the same seed gives the same answers on the same machine."""

    learns = True

    def __init__(self, seed: int = 0, epochs: int = 12) -> None:
        self.seed, self.epochs = seed, epochs
        self.answers: dict[str, int] = {}
        self.vocabulary = Vocabulary(())
        self.network: Network | None = None

    def train(self, tasks: Sequence[Task]) -> None:
        texts = [text for task in tasks for question in task.questions.questions for text in texts_of(question)]
        if not texts or any(text.answer is None for text in texts):
            raise AgentInputError("the Blind-LSTM has to be trained on questions with answers")
        self.vocabulary = Vocabulary.of(texts)
        possible = {
            canonical_answer(answer) for space in answers_by_operator(tasks[0].world).values() for answer in space
        }
        possible |= {canonical_answer(text.answer or "") for text in texts if not text.is_option}
        self.answers = {answer: k for k, answer in enumerate(sorted(possible))}
        torch.manual_seed(self.seed)
        network = self.network = Network(len(self.vocabulary), len(self.answers)).train()
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

    def answer(self, task: Task) -> SetAnswers:
        if self.network is None:
            raise AgentInputError("the Blind-LSTM has not been trained")
        return {question.id: self._answer(self.network, question, task.world) for question in task.questions.questions}

    def _answer(self, network: Network, question: Question, world: ObjectWorld) -> Answer:
        with torch.no_grad():
            answer_logits, correct_logits = network(*self.vocabulary.tensors(list(texts_of(question))))
        if question.choices:
            verdicts = [CORRECT if logit > 0.0 else WRONG for logit in correct_logits.tolist()]
            return {choice.id: verdict for choice, verdict in zip(question.choices, verdicts, strict=True)}
        logits = answer_logits[0].tolist()
        known = [answer for answer in map(canonical_answer, answer_space(question, world)) if answer in self.answers]
        if not known:
            raise AgentInputError(f"question {question.id}: no training answer is possible in the {world.name} world")
        return max(known, key=lambda answer: logits[self.answers[answer]])

    def _loss(self, network: Network, texts: Sequence[Text]) -> Tensor:
        """Questions and options have the same weight."""
        answer_logits, correct_logits = network(*self.vocabulary.tensors(texts))
        is_option = torch.tensor([text.is_option for text in texts])
        answers = [self.answers[canonical_answer(text.answer or "")] for text in texts if not text.is_option]
        verdicts = [float(text.answer == CORRECT) for text in texts if text.is_option]
        answer_loss = functional.cross_entropy(
            answer_logits[~is_option], torch.tensor(answers, dtype=torch.long), reduction="sum"
        )
        option_loss = functional.binary_cross_entropy_with_logits(
            correct_logits[is_option], torch.tensor(verdicts), reduction="sum"
        )
        return (answer_loss + option_loss) / len(texts)
