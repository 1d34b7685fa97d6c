"""The scores of all concepts in a batch of scenes: what programs run on.

A score is above 0 where a concept holds, and its size says how sure that is; scores are between -LIMIT and LIMIT.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import torch
from torch import Tensor

LIMIT = 10.0

Altered = Callable[[Tensor, Tensor], Tensor]
"""Collisions after a change: weights of the changed body [scene, body] and changes [scene] to scores [scene, pair]."""


@dataclass(frozen=True, eq=False)
class ConceptScores:
    """Scores of scenes; every tensor begins with [scene]."""

    present: Tensor
    """bool [body]: whether the set has this body."""
    words: Tensor
    """[body, word]: of all words of the world."""
    moving: Tensor
    """[body, 2]: moving and stationary, over the whole video."""
    moving_at: Tensor
    """[body, slot, 2]: the same in the frame of each event slot."""
    direction: Tensor
    """[body, 4]: over the whole video."""
    direction_at: Tensor
    """[body, slot, 4]."""
    events: Tensor
    """[slot]: whether the event of a slot happens."""
    frames: Tensor
    """int64 [slot]: its frame."""
    heavy: Tensor
    """[body]."""
    relations: Tensor
    """[body, body, 3]: log probabilities of NONE, SAME and OPPOSITE charges."""
    future: Tensor
    """[pair]: whether it collides after the shown frames."""

    def rows(self, numbers: Tensor) -> "ConceptScores":
        """Some of the scenes."""
        return replace(self, **{field.name: getattr(self, field.name)[numbers] for field in fields(self)})


def logit_of(log_probability: Tensor) -> Tensor:
    """The score of an event of this log probability: log p - log(1 - p), limited."""
    value = log_probability.clamp(max=-1e-6)
    return (value - torch.log(-torch.expm1(value))).clamp(-LIMIT, LIMIT)
