"""The scene of a set that was fitted: what is shown, what will happen and what would happen, by simulation."""

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np

from tumble.comphy.agents.prediction import SimulatedAlterations
from tumble.comphy.agents.see_and_simulate.pieces import continued, followed
from tumble.comphy.agents.see_and_simulate.set_fit import SetFit
from tumble.comphy.catalogue.video_set import Alteration, alterations
from tumble.comphy.catalogue.world import SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.questions.symbolic_scene import SymbolicScene
from tumble.comphy.simulation.events import events_of
from tumble.comphy.simulation.simulator import InitialState, simulate

MAX_LATE_MISFIT = 2.2
"""If the last shown frames deviate more than this, they are fitted again before the future is simulated."""
LATE_FRAMES = 30


def fitted_start(fit: SetFit) -> InitialState:
    """The start of the target's bodies."""
    start = fit.target.start[0]
    return InitialState.on_table(fit.bodies, start[:, :2], start[:, 4], start[:, 2:4])


def fitted_scene(fit: SetFit, refit: bool = True) -> SymbolicScene:
    """The scene, from the fitted start; with `refit`, frames that deviate are fitted again from later states."""
    bodies, start = fit.bodies, fitted_start(fit)
    motion = simulate(bodies, start, TARGET_FRAMES)
    misfits = fit.misfits
    if refit and fit.problem.is_uncertain:
        motion, misfits = followed(fit.problem, fit.target, bodies, motion)
    if refit and misfits[-LATE_FRAMES:].max() > MAX_LATE_MISFIT:
        first = SHOWN_FRAMES - LATE_FRAMES
        motion = continued(fit.problem, fit.target, bodies, motion, (first, SHOWN_FRAMES), SHOWN_FRAMES)
    shown = events_of(bodies, motion, 0, SHOWN_FRAMES)
    return SymbolicScene(
        bodies=bodies,
        motion=motion,
        shown_events=shown,
        future_events=events_of(bodies, motion, SHOWN_FRAMES, TARGET_FRAMES),
        altered_events=SimulatedAlterations(bodies, start, shown),
    )


class FittedMotions(Mapping[Alteration | None, np.ndarray]):
    """Places [frame, body, 3] in the target with its future (None) and after changes, simulated when asked for."""

    def __init__(self, fit: SetFit, scene: SymbolicScene) -> None:
        self.fit, self.scene = fit, scene

    @cached_property
    def keys_in_order(self) -> tuple[Alteration | None, ...]:
        """All keys."""
        return (None, *alterations(self.fit.bodies))

    def __getitem__(self, change: Alteration | None) -> np.ndarray:
        if change not in self.keys_in_order:
            raise KeyError(change)
        if change is None:
            return self.scene.motion.positions
        return simulate(change.apply(self.fit.bodies), fitted_start(self.fit), SHOWN_FRAMES).positions

    def __iter__(self) -> Iterator[Alteration | None]:
        return iter(self.keys_in_order)

    def __len__(self) -> int:
        return len(self.keys_in_order)
