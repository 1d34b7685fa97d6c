"""Rolling out many worlds in one call."""

from collections.abc import Callable

import numpy as np

from tumble.engine.host import shared_past
from tumble.engine.host.job import Job
from tumble.engine.host.options import Options, Rollouts
from tumble.engine.host.states import States
from tumble.engine.host.worlds import Worlds
from tumble.engine.rules.rule import RUN_TO_END, Rule


def rollout(
    worlds: Worlds,
    rule: Rule = RUN_TO_END,
    options: Options | None = None,
    progress: Callable[[int], None] | None = None,
    start: States | None = None,
    start_of: np.ndarray | None = None,
    keep_states: bool = False,
) -> Rollouts:
    """Rolls out all worlds; `progress` is called with the number of worlds of each finished piece.

    Under a resumable rule, world k resumes from state `start_of[k]` of `start`, if given, which must be of the same
    scene; with `keep_states` the worlds are saved as they are at their end (`Rollouts.states`).
    """
    job = Job(worlds, rule, options or Options(), progress or (lambda _: None), start, start_of, keep_states)
    job.run_plain(shared_past.run(job))
    return job.finished()
