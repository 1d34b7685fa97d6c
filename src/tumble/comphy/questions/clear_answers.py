"""Which answers are clear enough to be asked for: not decided by a few frames, nor by motion close to a threshold."""

from tumble.comphy.questions.programs.context import Thresholds
from tumble.comphy.questions.programs.interpreter import Interpreter
from tumble.comphy.questions.programs.symbolic_scene import SymbolicScene
from tumble.comphy.simulation.events import DIRECTION_WINDOW, MOVING_SPEED
from tumble.comphy.tasks.question import Program

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
