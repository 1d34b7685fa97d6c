"""Candidate shots of a bird, as arrays [n, (angle, stretch, tap share)]."""

import numpy as np

from tumble.phyq.models.ranker.collect import ANGLES, NEAR, SHORTEST, TAPS

SHORT = 0.2
"""Share of the candidates that are not at full stretch."""
REFINED = 8
"""The best candidates, around which more are tried."""
SHRUNK = 0.4
"""Spread of these, relative to that of training shots near winning ones."""
_GOLDEN = 0.6180339887498949


def candidate_shots(count: int, has_power: bool, offset: float = 0.5) -> np.ndarray:
    """float32 [count, 3]: angles, and taps or stretches, spread evenly; `offset` from 0 to 1 shifts the angles."""
    place = np.arange(count)
    angle = ANGLES[0] + (ANGLES[1] - ANGLES[0]) * (place + offset) / count
    spread = np.modf((place + 1) * _GOLDEN)[0]  # far from that of neighbouring angles
    if has_power:
        tap = TAPS[0] + (TAPS[1] - TAPS[0]) * spread
        return np.stack([angle, np.ones(count), tap], axis=-1).astype(np.float32)
    stretch = np.where(spread < SHORT, SHORTEST + (1.0 - SHORTEST) * spread / SHORT, 1.0)
    return np.stack([angle, stretch, np.full(count, np.nan)], axis=-1).astype(np.float32)


def refined_shots(shots: np.ndarray, scores: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """float32 [count, 3]: random shots near the best ones."""
    best = np.argsort(-scores, kind="stable")[:REFINED]
    chosen = shots[best[np.arange(count) % len(best)]]
    moved = chosen + SHRUNK * np.array(NEAR) * rng.standard_normal((count, 3))
    moved[:, 1] = np.where(chosen[:, 1] < 1.0, moved[:, 1], 1.0)
    low, high = (ANGLES[0], SHORTEST, TAPS[0]), (ANGLES[1], 1.0, TAPS[1])
    return np.clip(moved, low, high).astype(np.float32)
