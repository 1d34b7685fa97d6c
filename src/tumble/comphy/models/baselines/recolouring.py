"""Other looks for the same sets: colours permuted and materials swapped, in pictures, questions and answers alike.

Motion and properties do not depend on colour or material, so that a set with permuted looks is one more set. It is
rendered from the recorded motion, as every training picture is; the network gets no label from that.
"""

from dataclasses import dataclass, replace

import numpy as np

from tumble.comphy.models.baselines.text import ANSWERS, Vocabulary
from tumble.comphy.questions.answers import AND, canonical_answer
from tumble.comphy.tasks.body import COLORS, MATERIALS, Body


@dataclass(frozen=True, eq=False)
class Recolouring:
    """New colours and materials of the bodies of sets, in some versions; version 0 has the true ones."""

    colors: np.ndarray
    """int [version, set, color]: indices of the new colours."""
    materials: np.ndarray
    """int [version, set, material]."""

    @classmethod
    def draw(cls, versions: int, sets: int, seed: int) -> "Recolouring":
        """Random permutations for each version and set."""
        draws = np.random.default_rng([seed, 16])
        colors = np.tile(np.arange(len(COLORS)), (versions, sets, 1))
        materials = np.tile(np.arange(len(MATERIALS)), (versions, sets, 1))
        colors[1:] = draws.permuted(colors[1:], axis=-1)
        materials[1:] = draws.permuted(materials[1:], axis=-1)
        return cls(colors, materials)

    def body(self, body: Body, version: int, row: int) -> Body:
        """A body with its new looks."""
        color = COLORS[self.colors[version, row, COLORS.index(body.color)]]
        return replace(
            body, color=color, material=MATERIALS[self.materials[version, row, MATERIALS.index(body.material)]]
        )

    def word_table(self, vocabulary: Vocabulary) -> np.ndarray:
        """int16 [version, set, word]: the new number of each word."""
        table = np.broadcast_to(np.arange(len(vocabulary), dtype=np.int16), (*self.colors.shape[:2], len(vocabulary)))
        table = table.copy()
        for names, news in ((COLORS, self.colors), (MATERIALS, self.materials)):
            for old, name in enumerate(names):
                if name in vocabulary.numbers:
                    numbers = np.array([vocabulary.numbers.get(other, vocabulary.numbers[name]) for other in names])
                    table[..., vocabulary.numbers[name]] = numbers[news[..., old]]
        return table

    def answer_table(self) -> np.ndarray:
        """int16 [version, set, answer]: the new index of each of ANSWERS."""
        index = {answer: k for k, answer in enumerate(ANSWERS)}
        table = np.broadcast_to(np.arange(len(ANSWERS), dtype=np.int16), (*self.colors.shape[:2], len(ANSWERS))).copy()
        for names, news in ((COLORS, self.colors), (MATERIALS, self.materials)):
            single = np.array([index[name] for name in names])
            pairs = np.array([[index[canonical_answer(one + AND + other)] for other in names] for one in names])
            for one in range(len(names)):
                table[..., single[one]] = single[news[..., one]]
                for other in range(one, len(names)):
                    table[..., pairs[one, other]] = pairs[news[..., one], news[..., other]]
        return table
