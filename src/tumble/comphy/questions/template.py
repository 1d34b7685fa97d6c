"""A template of questions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tumble.comphy.questions.described_scene import DescribedScene
from tumble.comphy.questions.phrases import Phrase
from tumble.comphy.questions.programs.program import Type
from tumble.comphy.tasks.question import Kind, Question
from tumble.draws import Draws

SlotFiller = Callable[[DescribedScene, Draws, Mapping[str, Any]], dict[str, Any] | None]
"""Draws the values of all slots, where those of some are fixed; None where nothing can be asked."""


@dataclass(frozen=True)
class Template:
    """A family of questions: their wordings, their program, and how their slots are filled from a scene."""

    family: str
    kind: Kind
    phrase: Phrase
    fill: SlotFiller
    answers: Mapping[Type, Mapping[str, Any]] = field(default_factory=dict)
    """The types of answers that can be asked for, each with the slot values that it fixes."""
    balanced: tuple[str, ...] = ()
    """Slots whose words should not give the answer away."""

    def question(self, values: Mapping[str, Any], draws: Draws) -> Question:
        """The question with these slot values, without an answer."""
        return Question(0, self.kind, self.family, self.phrase.text(values, draws), self.phrase.program_of(values))
