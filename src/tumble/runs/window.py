"""How many tasks an agent attempts together: many if it is quick, few if it is slow.

Rollouts of many tasks are simulated in one batch, which is faster. But what an agent has proposed is lost if the run is
killed before the batch is simulated and logged.
"""

from collections.abc import Sequence
from statistics import median_low

QUICK_ROUND = 0.5
"""Seconds of a round below which more tasks are attempted together."""
LONG_ROUND = 2.0
"""Seconds of a round above which fewer are."""
SLOW_PROPOSAL = 0.02
"""Median seconds of a proposal from which on an agent is slow.

Not the mean: an agent may take long for its first proposal at a task and be quick from then on."""
SLOW_SHARE = 0.6
"""The share of a round's time above which a slow agent's proposals gain nothing from batches of rollouts."""


class Window:
    """The number of tasks to attempt together, which adapts to the time that rounds take."""

    def __init__(self, max_size: int) -> None:
        self.max_size = max_size
        self.size = 1

    def adapt(self, seconds: float, proposals: Sequence[float]) -> None:
        """Adapts to a round of attempts that took some seconds, of which each of the agent's proposals took a part."""
        slow = bool(proposals) and median_low(proposals) > SLOW_PROPOSAL and sum(proposals) > SLOW_SHARE * seconds
        if slow or seconds > LONG_ROUND:
            self.size = max(1, self.size // 2)
        elif seconds < QUICK_ROUND:
            self.size = min(self.max_size, 2 * self.size)
