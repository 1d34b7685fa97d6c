"""A symbolic scene with the words that describe its bodies: what questions are asked about."""

from functools import cached_property

from tumble.comphy.questions.clear_answers import ClearAnswers
from tumble.comphy.questions.descriptions import Description
from tumble.comphy.questions.programs.context import ProgramEvent
from tumble.comphy.questions.programs.interpreter import Interpreter
from tumble.comphy.questions.programs.program import NULL
from tumble.comphy.questions.programs.symbolic_scene import SymbolicScene
from tumble.comphy.questions.referring_expression import minimal_expressions
from tumble.comphy.tasks.video_set import asks_about_mass
from tumble.draws import Draws

VISIBLE_ATTRIBUTES = ("color", "material", "shape")
MOTION_SHARE = 0.3
"""Probability that the description of a body may name its motion, where that helps."""


class DescribedScene:
    """What slot values are drawn from."""

    def __init__(self, symbolic: SymbolicScene) -> None:
        self.symbolic = symbolic
        self.interpreter = Interpreter(symbolic)
        self.asks_about_mass = asks_about_mass(symbolic.bodies)
        self.asks_about_charge = any(body.is_charged for body in symbolic.bodies)
        self._descriptions: dict[tuple[int, tuple[str, ...]], list[Description]] = {}

    @cached_property
    def clear_answers(self) -> ClearAnswers:
        """Checks whether answers are clear."""
        return ClearAnswers(self.symbolic)

    @cached_property
    def events(self) -> tuple[ProgramEvent, ...]:
        """The events of the shown frames, without "start" and "end"."""
        return self.interpreter.context.events[1:-1]

    @cached_property
    def words(self) -> tuple[dict[str, str], ...]:
        """The words for each body by attribute: visible attributes, mass, charge, and motion over the whole video."""
        return self.words_at(None)

    def words_at(self, frame: int | None) -> tuple[dict[str, str], ...]:
        """The same with the motion in one frame; a body that is not in view then has no word for motion."""
        context = self.interpreter.context
        time = NULL if frame is None else frame
        moving, visible = context.moving_in(time), context.visible_in(time)
        bodies = []
        for k, body in enumerate(self.symbolic.bodies):
            words = {
                "color": body.color,
                "material": body.material,
                "shape": body.shape,
                "mass": "heavy" if body.is_heavy else "light",
                "charge": "charged" if body.is_charged else "uncharged",
            }
            if visible[k]:
                words["motion"] = "moving" if moving[k] else "stationary"
            bodies.append(words)
        return tuple(bodies)

    def describe(self, body: int, draws: Draws, motion: bool = True) -> Description:
        """A minimal description that matches one body alone; `motion` says whether it may name the motion."""
        with_motion = motion and draws.between(0.0, 1.0) < MOTION_SHARE
        attributes = (*VISIBLE_ATTRIBUTES, "motion") if with_motion else VISIBLE_ATTRIBUTES
        if (body, attributes) not in self._descriptions:
            expressions = minimal_expressions(self.words, body, attributes)
            self._descriptions[body, attributes] = [Description(**words) for words in expressions]
        return draws.one_of(self._descriptions[body, attributes])
