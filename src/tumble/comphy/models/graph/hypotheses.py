"""The most probable bodies of a set: in our data one is heavy, or two are charged, and never both."""

from dataclasses import replace

import torch
from torch import Tensor

from tumble.comphy.catalogue.body import HEAVY, Body
from tumble.comphy.catalogue.task import Appearance
from tumble.comphy.models.graph.property_network import PropertyLogits


def likely_bodies(logits: PropertyLogits, row: int, appearances: tuple[Appearance, ...]) -> tuple[Body, ...]:
    """The bodies of a set with the properties of the best hypothesis: one heavy body, or one charged pair.

    The sign of a pair's first charge can't be seen and is positive.
    """
    count = len(appearances)
    bodies = [Body(*appearance) for appearance in appearances]
    heavy, pairs = hypothesis_scores(logits, count, row)
    best_heavy, best_pair = int(heavy.argmax()), int(pairs.argmax())
    if count < 2 or heavy.flatten()[best_heavy] >= pairs.flatten()[best_pair]:
        bodies[best_heavy] = replace(bodies[best_heavy], mass=HEAVY)
        return tuple(bodies)
    relation, rest = best_pair % 2, best_pair // 2
    one, other = rest // count, rest % count
    bodies[one] = replace(bodies[one], charge=1)
    bodies[other] = replace(bodies[other], charge=1 if relation == 0 else -1)
    return tuple(bodies)


def hypothesis_scores(logits: PropertyLogits, count: int, row: int) -> tuple[Tensor, Tensor]:
    """Log-odds that each body is heavy [body], and that each pair has same or opposite charges [body, body, 2].

    Pairs count once, with the first body before the second; the others have minus infinity.
    """
    mass, charge = logits.mass[row, :count], logits.charge[row, :count, :count]
    upper = torch.ones(count, count, dtype=torch.bool, device=charge.device).triu(1)
    odds = charge[..., 1:] - charge[..., :1]
    return mass[:, 1] - mass[:, 0], torch.where(upper[..., None], odds, torch.full_like(odds, -torch.inf))
