"""The scene of a set that was explained: what is shown, what will happen and what would happen, by simulation."""

import numpy as np

from tumble.comphy.agents.prediction import SimulatedAlterations
from tumble.comphy.agents.see_and_simulate.explain import Explanation
from tumble.comphy.questions.programs.symbolic_scene import SymbolicScene
from tumble.comphy.simulation.events import events_of
from tumble.comphy.simulation.simulator import InitialState, simulate
from tumble.comphy.tasks.constants import SHOWN_FRAMES, TARGET_FRAMES


def fitted_start(explanation: Explanation) -> InitialState:
    """The start of the target's bodies."""
    start = explanation.fit.start[0]
    return InitialState.on_table(explanation.bodies, start[:, :2], start[:, 4], start[:, 2:4])


def explained_scene(explanation: Explanation) -> SymbolicScene:
    """The scene, from the fitted start."""
    bodies, start = explanation.bodies, fitted_start(explanation)
    motion = simulate(bodies, start, TARGET_FRAMES)
    shown = events_of(bodies, motion, 0, SHOWN_FRAMES)
    return SymbolicScene(
        bodies=bodies,
        motion=motion,
        shown_events=shown,
        future_events=events_of(bodies, motion, SHOWN_FRAMES, TARGET_FRAMES),
        altered_events=SimulatedAlterations(bodies, start, shown),
    )
