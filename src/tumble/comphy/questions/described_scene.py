"""A symbolic scene with the words that describe its bodies: what questions are asked about.

Words tell one body from all others, and are no more than necessary. Only what is clear enough is asked for: not
decided by a few frames, nor by motion close to a threshold.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations

from tumble.comphy.catalogue.task import Program
from tumble.comphy.catalogue.video_set import asks_about_mass
from tumble.comphy.questions.interpreter import Interpreter
from tumble.comphy.questions.phrases import Description
from tumble.comphy.questions.program import NULL
from tumble.comphy.questions.symbolic_scene import ProgramEvent, SymbolicScene, Thresholds
from tumble.comphy.simulation.events import DIRECTION_WINDOW, MOVING_SPEED
from tumble.draws import Draws

MIN_ORDER_FRAMES = 5
"""Frames between two events from which on questions may depend on their order."""
SPEED_MARGIN = 0.2
"""Share of the threshold by which a speed must be away from it."""
DIRECTION_MARGIN = 3.0
"""Degrees by which a direction must be away from the edge of its window."""
TIME_MARGIN = MIN_ORDER_FRAMES // 2
"""Frames before and after a time in which motion must give the same answer."""
SPEEDS = tuple(Thresholds(moving_speed=MOVING_SPEED * (1.0 + margin)) for margin in (-SPEED_MARGIN, SPEED_MARGIN))
WINDOWS = tuple(
    Thresholds(direction_window=DIRECTION_WINDOW + margin) for margin in (-DIRECTION_MARGIN, DIRECTION_MARGIN)
)
DELAYS = tuple(Thresholds(delay=frames) for frames in (-TIME_MARGIN, TIME_MARGIN))
MOTION_OPERATORS = frozenset(("filter_moving", "filter_stationary", "filter_resting", "query_direction"))


class ClearAnswers:
    """Checks the answers of programs on one scene."""

    def __init__(self, scene: SymbolicScene) -> None:
        self.interpreter = Interpreter(scene)
        self._variants = {thresholds: Interpreter(scene, thresholds) for thresholds in (*SPEEDS, *WINDOWS, *DELAYS)}

    def is_clear(self, program: Program) -> bool:
        """Whether the events that a program orders are far enough apart, and other thresholds give the same answer."""
        gap = self.interpreter.order_gap(program)
        if gap is not None and gap < MIN_ORDER_FRAMES:
            return False
        answer = self.interpreter.execute(program)
        return all(self._variants[thresholds].execute(program) == answer for thresholds in _thresholds(program))


def _thresholds(program: Program) -> tuple[Thresholds, ...]:
    """The thresholds that may change the answer of a program."""
    if MOTION_OPERATORS.isdisjoint(program):
        return ()
    windows = WINDOWS if "query_direction" in program else ()
    return (*SPEEDS, *windows, *(DELAYS if "query_frame" in program else ()))


BodyWords = Mapping[str, str]
"""The words that describe a body, by attribute."""


def minimal_expressions(bodies: Sequence[BodyWords], body: int, attributes: Sequence[str]) -> list[dict[str, str]]:
    """All choices of words for these attributes that match the body alone, and would not if one were left out.

    >>> bodies = [{"color": "red", "shape": "cube"}, {"color": "red", "shape": "sphere"}]
    >>> minimal_expressions(bodies, 0, ("color", "shape"))
    [{'shape': 'cube'}]
    """
    known = [name for name in attributes if name in bodies[body]]
    expressions: list[dict[str, str]] = []
    for size in range(1, len(known) + 1):
        for names in combinations(known, size):
            words = {name: bodies[body][name] for name in names}
            is_minimal = not any(shorter.items() <= words.items() for shorter in expressions)
            if is_minimal and matching_bodies(bodies, words) == [body]:
                expressions.append(words)
    return expressions


def matching_bodies(bodies: Sequence[BodyWords], words: BodyWords) -> list[int]:
    """The bodies that all of the words match."""
    return [k for k, known in enumerate(bodies) if all(known.get(name) == word for name, word in words.items())]


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
