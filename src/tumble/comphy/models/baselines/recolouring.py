"""Other looks for the same sets: colours permuted and materials swapped, in pictures, questions and answers alike.

Motion and properties do not depend on colour or material, so that a set with permuted looks is one more set. It is
rendered from the recorded motion, as every training picture is; the network gets no label from that.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tumble.comphy.catalogue.world import PLAIN, ObjectWorld
from tumble.comphy.models.baselines.text import Vocabulary, answers_of
from tumble.comphy.models.data.placed import ChosenFrames, Placed
from tumble.comphy.questions.program import AND, canonical_answer


@dataclass(frozen=True, eq=False)
class Recolouring:
    """New colours and materials of the bodies of sets, in some versions; version 0 has the true ones."""

    colors: np.ndarray
    """int [version, set, color]: indices of the new colours."""
    materials: np.ndarray
    """int [version, set, material]."""
    world: ObjectWorld = PLAIN

    @classmethod
    def draw(cls, versions: int, sets: int, seed: int, world: ObjectWorld = PLAIN) -> "Recolouring":
        """Random permutations for each version and set."""
        draws = np.random.default_rng([seed, 16])
        colors = np.tile(np.arange(len(world.colors)), (versions, sets, 1))
        materials = np.tile(np.arange(len(world.materials)), (versions, sets, 1))
        colors[1:] = draws.permuted(colors[1:], axis=-1)
        materials[1:] = draws.permuted(materials[1:], axis=-1)
        return cls(colors, materials, world)

    def recoloured(self, placed: Placed, chosen: Sequence[ChosenFrames], version: int) -> Placed:
        """Frames of sets with their new looks."""
        rows = np.repeat([one.row for one in chosen], [len(one.frames) for one in chosen])[:, None]
        looks = placed.looks.copy()
        there = looks[..., 0] >= 0
        looks[..., 0] = np.where(there, self.colors[version, rows, looks[..., 0]], looks[..., 0])
        looks[..., 1] = np.where(there, self.materials[version, rows, looks[..., 1]], looks[..., 1])
        return replace(placed, looks=looks)

    @property
    def _permuted(self) -> tuple[tuple[tuple[str, ...], np.ndarray], ...]:
        """Words and their new indices."""
        return (self.world.colors, self.colors), (self.world.materials, self.materials)

    def word_table(self, vocabulary: Vocabulary) -> np.ndarray:
        """int16 [version, set, word]: the new number of each word."""
        table = np.broadcast_to(np.arange(len(vocabulary), dtype=np.int16), (*self.colors.shape[:2], len(vocabulary)))
        table = table.copy()
        for names, news in self._permuted:
            for old, name in enumerate(names):
                if name in vocabulary.numbers:
                    numbers = np.array([vocabulary.numbers.get(other, vocabulary.numbers[name]) for other in names])
                    table[..., vocabulary.numbers[name]] = numbers[news[..., old]]
        return table

    def answer_table(self) -> np.ndarray:
        """int16 [version, set, answer]: the new index of each answer of the world."""
        answers = answers_of(self.world)
        index = {answer: k for k, answer in enumerate(answers)}
        table = np.broadcast_to(np.arange(len(answers), dtype=np.int16), (*self.colors.shape[:2], len(answers))).copy()
        for names, news in self._permuted:
            single = np.array([index[name] for name in names])
            pairs = np.array([[index[canonical_answer(one + AND + other)] for other in names] for one in names])
            for one in range(len(names)):
                table[..., single[one]] = single[news[..., one]]
                for other in range(one, len(names)):
                    table[..., pairs[one, other]] = pairs[news[..., one], news[..., other]]
        return table
