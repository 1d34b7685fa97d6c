"""Texts of all sets on the device, and batches of them that are drawn there."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from tumble.comphy.catalogue.task import CORRECT, QuestionSet
from tumble.comphy.catalogue.world import PLAIN, ObjectWorld
from tumble.comphy.models.baselines.frames import Recolouring
from tumble.comphy.models.baselines.text import (
    NEGATED_WORDS,
    SPECIAL_WORDS,
    UNKNOWN,
    Text,
    Vocabulary,
    answers_of,
    negated_text,
    texts_of,
    visible_words,
)
from tumble.comphy.questions.program import canonical_answer
from tumble.learning.settings import TrainingError


@dataclass(frozen=True, eq=False)
class TextBatch:
    """Texts of a batch of sets, the same number for each."""

    words: Tensor
    """int64 [set, text, position]."""
    lengths: Tensor
    """int64 [set, text]."""
    targets: Tensor
    """int64 [set, text]: an answer's index, 1 for a correct option, or the masked word."""
    valid: Tensor
    """bool [set, text]: false where a set has no text of this kind."""


class QuestionBank:
    """Texts of all sets: factual questions, options of the others, and texts with a masked word.

    Options of counterfactual questions are there twice, also for the opposite question with the opposite answer.
    """

    def __init__(
        self,
        questions: tuple[QuestionSet, ...],
        vocabulary: Vocabulary,
        recolouring: Recolouring,
        device: torch.device,
    ) -> None:
        world = recolouring.world
        answers = answers_of(world)
        texts = [
            (row, text)
            for row, one in enumerate(questions)
            for question in one.questions
            for text in texts_of(question)
        ]
        if not texts or any(text.answer is None for _, text in texts):
            raise TrainingError("this model has to be trained on questions with answers")
        texts = [(row, text) for row, one in texts for text in (one, negated_text(one)) if text is not None]
        words, lengths = vocabulary.tensors([text for _, text in texts])
        self.words, self.lengths = words.short().to(device), lengths.to(device)
        self.targets = torch.tensor([_target(text, answers) for _, text in texts]).to(device)
        visible = [number for word, number in vocabulary.numbers.items() if word in visible_words(world)]
        self.can_be_masked = torch.isin(words, torch.tensor(visible)).to(device)
        self.unknown = vocabulary.numbers[UNKNOWN]
        rows = np.array([row for row, _ in texts])
        used = torch.zeros(len(questions), len(vocabulary))
        used[torch.from_numpy(rows)[:, None], words] = 1.0
        self.used = used.to(device)
        kinds = np.array([text.kind for _, text in texts])
        has_visible = self.can_be_masked.any(dim=1).cpu().numpy()
        self.factual = _Groups(rows, kinds == "factual", len(questions), device)
        self.options = _Groups(rows, kinds != "factual", len(questions), device)
        self.maskable = _Groups(rows, has_visible, len(questions), device)
        self.word_table = torch.from_numpy(recolouring.word_table(vocabulary)).to(device)
        self.answer_table = torch.from_numpy(recolouring.answer_table()).to(device)
        swapped = {"left": "right", "right": "left"}
        self.mirrored = torch.tensor([answers.index(swapped.get(answer, answer)) for answer in answers]).to(device)

    def draw_factual(self, versions: Tensor, rows: Tensor, count: int, mirrored: bool) -> TextBatch:
        """Factual questions about sets in some versions; `mirrored`: as if left were right."""
        texts, valid = self.factual.draw(rows, count)
        answers = _looked_up(self.answer_table[versions, rows], self.targets[texts])
        answers = self.mirrored[answers] if mirrored else answers
        return TextBatch(self._words(versions, rows, texts), self.lengths[texts], answers, valid)

    def draw_options(self, versions: Tensor, rows: Tensor, count: int) -> TextBatch:
        """Questions with one of their options."""
        texts, valid = self.options.draw(rows, count)
        return TextBatch(self._words(versions, rows, texts), self.lengths[texts], self.targets[texts], valid)

    def draw_masked(self, versions: Tensor, rows: Tensor, count: int) -> TextBatch:
        """Texts of any kind in which one visible attribute is replaced by the unknown word."""
        texts, valid = self.maskable.draw(rows, count)
        words = self._words(versions, rows, texts)
        chance = torch.rand(words.shape, device=words.device) * self.can_be_masked[texts]
        place = chance.argmax(dim=-1, keepdim=True)
        targets = words.gather(-1, place).squeeze(-1)
        return TextBatch(words.scatter(-1, place, self.unknown), self.lengths[texts], targets, valid)

    def used_words(self, versions: Tensor, rows: Tensor) -> Tensor:
        """float [set, word]: 1 for words that texts of a set use."""
        return torch.zeros_like(self.used[rows]).scatter(1, self.word_table[versions, rows].long(), self.used[rows])

    def _words(self, versions: Tensor, rows: Tensor, texts: Tensor) -> Tensor:
        """int64 [set, text, position]: the words, with those for looks replaced."""
        return _looked_up(self.word_table[versions, rows], self.words[texts].long())


class _Groups:
    """Texts of one kind by set."""

    def __init__(self, rows: np.ndarray, kept: np.ndarray, sets: int, device: torch.device) -> None:
        numbers = np.flatnonzero(kept)
        counts = np.bincount(rows[numbers], minlength=sets)
        first = np.concatenate([[0], counts.cumsum()[:-1]])
        self.numbers = torch.from_numpy(numbers if len(numbers) else np.zeros(1, int)).to(device)
        self.first, self.counts = torch.from_numpy(first).to(device), torch.from_numpy(counts).to(device)

    def draw(self, rows: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """int64 [set, count] texts and bool [set, count]: different ones as long as a set has enough."""
        available = self.counts[rows][:, None]
        start = (torch.rand(available.shape, device=rows.device) * available).long()
        order = torch.arange(count, device=rows.device)
        places = self.first[rows][:, None] + (start + order) % available.clamp(min=1)
        texts = self.numbers[places.clamp(max=len(self.numbers) - 1)]
        return texts, order < available


def _looked_up(table: Tensor, values: Tensor) -> Tensor:
    """int64: table [set, value] at values [set, ...]."""
    return table.long().gather(1, values.flatten(1)).view_as(values)


def _target(text: Text, answers: tuple[str, ...]) -> int:
    answer = text.answer or ""
    if text.is_option:
        return int(answer == CORRECT)
    if canonical_answer(answer) not in answers:
        raise TrainingError(f"the answer {answer!r} is not one of the known ones")
    return answers.index(canonical_answer(answer))


def vocabulary_of(questions: tuple[QuestionSet, ...], world: ObjectWorld = PLAIN) -> Vocabulary:
    """The words of all questions, and those which recolouring and opposite questions may bring in."""
    found = Vocabulary.of(text for one in questions for question in one.questions for text in texts_of(question))
    return Vocabulary(
        (*SPECIAL_WORDS, *sorted({*found.words, *visible_words(world), *NEGATED_WORDS} - set(SPECIAL_WORDS)))
    )
