"""What a failed shot says of others: those like it are less likely to win."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class RetryRule:
    """By how much a failed shot lowers the chances of others; fitted on training templates."""

    angle: float = 1.0
    """Degrees over which shots become unlike each other, by a factor e."""
    tap: float = 0.15
    """The same for taps, as shares of flights."""
    stretch: float = 0.05
    """The same for stretches."""
    strength: float = 0.95
    """The share by which the chance of an equal shot is lowered."""
    same_target: float = 0.1
    """The share by which the chance of a shot is lowered that touches the same object first."""
    early: float = 0.5
    """Factor on both shares for a shot after which birds were left: a later one may have been the wrong one."""

    def log_factors(
        self, shots: np.ndarray, targets: np.ndarray, failed: np.ndarray, failed_target: int, is_last: bool = True
    ) -> np.ndarray:
        """float [n]: to be added to log chances of shots [n, 3] that touch `targets` int [n] first (-1: the ground)."""
        factor = 1.0 if is_last else self.early
        apart = np.abs(shots - failed) / np.array([self.angle, self.stretch, self.tap])
        alike = np.exp(-np.nan_to_num(apart, nan=0.0).sum(axis=-1))
        same = (targets == failed_target) & (failed_target >= 0)
        lowered = np.log1p(-factor * self.strength * alike)
        return np.asarray(lowered + np.where(same, np.log1p(-factor * self.same_target), 0.0))


RETRIES = RetryRule()
"""The rule with the fitted constants."""
