"""What a template of questions is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tumble.comphy.questions.phrases import Phrase
from tumble.comphy.questions.programs.program import Type
from tumble.comphy.questions.scene import Scene
from tumble.comphy.tasks.question import Kind, Question
from tumble.draws import Draws

Filling = Callable[[Scene, Draws, Mapping[str, Any]], dict[str, Any] | None]
"""Draws what goes into the slots, given what is in some of them already; None where nothing can be asked."""


@dataclass(frozen=True)
class Template:
    """A family of questions: how they are worded, what they mean, and what may be asked in a scene."""

    family: str
    kind: Kind
    phrase: Phrase
    fill: Filling
    answers: Mapping[Type, Mapping[str, Any]] = field(default_factory=dict)
    """The types of answers that can be asked for, and what is then in the slots."""
    balanced: tuple[str, ...] = ()
    """Slots whose words should not give an answer away."""

    def question(self, values: Mapping[str, Any], draws: Draws) -> Question:
        """The question with these values, without an answer yet."""
        return Question(0, self.kind, self.family, self.phrase.text(values, draws), self.phrase.program_of(values))
