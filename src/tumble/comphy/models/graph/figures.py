"""Figures of the graph networks: which properties are inferred right, and how far predicted motion goes astray."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from tumble.comphy.models.data.track_tensors import TrackTensors
from tumble.comphy.models.graph.dynamics import DynamicsNetwork
from tumble.comphy.models.graph.hypotheses import hypothesis_scores
from tumble.comphy.models.graph.property_network import PropertyLogits
from tumble.comphy.models.graph.states import Properties, fitted_states
from tumble.comphy.tasks.body import Body

HORIZONS = (5, 10, 25, 50)
"""Frames ahead at which predicted places are compared."""


@dataclass(frozen=True)
class PropertyAccuracy:
    """Shares of what was inferred right."""

    mass_of_bodies: float
    """Of all bodies."""
    charge_of_bodies: float
    """Of all bodies: whether a body is charged."""
    mass_sets: float
    """Of the sets with a heavy body: those with all masses and charges right."""
    charge_sets: float
    """Of the sets with a charged pair: those with all masses and relations of charges right."""


@torch.no_grad()
def property_accuracy(logits: PropertyLogits, truth: Properties, exists: Tensor) -> PropertyAccuracy:
    """How often the best hypothesis about each set is right; truth has hard properties [set, …]."""
    heavy, relations = best_properties(logits, exists)
    true_relations = truth.relations.argmax(-1)
    distinct = ~torch.eye(exists.shape[1], dtype=torch.bool, device=exists.device)
    pairs = exists[:, :, None] & exists[:, None] & distinct
    masses_right = (heavy == (truth.heavy > 0.5)) | ~exists
    relations_right = (relations == true_relations) | ~pairs
    charged, truly = (((one > 0) & pairs).any(-1) for one in (relations, true_relations))
    right = masses_right.all(1) & relations_right.flatten(1).all(1)
    has_heavy = ((truth.heavy > 0.5) & exists).any(1)
    return PropertyAccuracy(
        _share(masses_right[exists]),
        _share((charged == truly)[exists]),
        _share(right[has_heavy]),
        _share(right[truly.any(1)]),
    )


def best_properties(logits: PropertyLogits, exists: Tensor) -> tuple[Tensor, Tensor]:
    """Heavy bodies, bool [set, body], and relations of charges, int [set, body, body]: each set's best hypothesis."""
    heavy = torch.zeros_like(exists)
    relations = torch.zeros(*exists.shape, exists.shape[1], dtype=torch.long, device=exists.device)
    for row, count in enumerate(exists.sum(1).tolist()):
        of_bodies, of_pairs = hypothesis_scores(logits, count, row)
        if of_bodies.max() >= of_pairs.max():
            heavy[row, int(of_bodies.argmax())] = True
            continue
        best = int(of_pairs.argmax())
        one, other = best // 2 // count, best // 2 % count
        relations[row, one, other] = relations[row, other, one] = 1 + best % 2
    return heavy, relations


def _share(right: Tensor) -> float:
    return float(right.float().mean()) if right.numel() else float("nan")


@torch.no_grad()
def rollout_errors(
    network: DynamicsNetwork,
    observed: TrackTensors,
    exact: TrackTensors,
    properties: Properties,
    first: int = 30,
    horizons: Sequence[int] = HORIZONS,
) -> dict[int, tuple[float, float]]:
    """Mean and median distance in units of predicted from exact places, by frames ahead.

    Predictions start from states fitted to the observed targets up to the frame `first`; bodies that are in view there
    and at the horizon count.
    """
    frames = torch.full_like(observed.target.present[:, 0].long(), first)
    start = fitted_states(observed.target, observed.shapes, frames, -1)
    found = network.rollout(start, observed.shapes, properties, max(horizons))
    errors = {}
    for ahead in horizons:
        seen = start.present & found.present[:, ahead] & exact.target.present[:, first + ahead]
        away = (found.places[:, ahead] - exact.target.places[:, first + ahead])[seen].norm(dim=-1)
        errors[ahead] = float(away.mean()), float(away.median())
    return errors


def properties_right(found: tuple[Body, ...], truth: tuple[Body, ...]) -> bool:
    """Whether all masses, and the products of the charges of all pairs, are as in truth; bodies in the same order."""
    return [body.mass for body in found] == [body.mass for body in truth] and _products(found) == _products(truth)


def _products(bodies: tuple[Body, ...]) -> list[int]:
    return [one.charge * other.charge for k, one in enumerate(bodies) for other in bodies[k + 1 :]]
