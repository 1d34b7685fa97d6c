"""Rolling out many worlds in one call."""

from collections.abc import Callable

from tumble.engine import shared_past
from tumble.engine.job import Job
from tumble.engine.options import Options, Rollouts
from tumble.engine.rules import RUN_TO_END, Rule
from tumble.engine.worlds import Worlds


def rollout(
    worlds: Worlds,
    rule: Rule = RUN_TO_END,
    options: Options | None = None,
    progress: Callable[[int], None] | None = None,
) -> Rollouts:
    """Rolls out all worlds; `progress` is called with the number of worlds that each finished piece held."""
    job = Job(worlds, rule, options or Options(), progress or (lambda _: None))
    job.run_plain(shared_past.run(job))
    return job.finished()
