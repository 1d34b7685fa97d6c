"""Losses of Q values: of shots from the replay, and of states with the outcomes of many shots from each."""

import torch
from torch import Tensor
from torch.nn import functional

from tumble.phyq.models.network_stack import NetworkStack
from tumble.phyq.models.replay import Shots
from tumble.phyq.models.state_pictures import StatePictures


def shot_losses(
    stack: NetworkStack, pictures: StatePictures, shots: Shots, gamma: float, double: bool, later: bool
) -> Tensor:
    """[K]: Huber losses of shots [K, n]; `later` says whether some lead to a further state.

    The target of a shot is its reward, or gamma times the value of the next state: that which the copies give to the
    shot that the networks choose there (`double`), or to their own best.
    """
    targets = shots.rewards
    if later:
        goes_on = shots.next_states >= 0
        seen = pictures.floats(shots.next_states.clamp(min=0))
        following = stack.target_values(seen)
        best = (stack.values(seen) if double else following).argmax(-1, keepdim=True)
        targets = targets + gamma * torch.where(goes_on, following.gather(-1, best).squeeze(-1), 0.0)
    values = stack.values(pictures.floats(shots.states), training=True)
    chosen = values.gather(-1, shots.angles.unsqueeze(-1)).squeeze(-1)
    return functional.smooth_l1_loss(chosen, targets, reduction="none").mean(-1)


def outcome_losses(values: Tensor, targets: Tensor, known: Tensor) -> Tensor:
    """[K]: Huber losses of values [K, n, 180] of states, where known bool [K, n, 180].

    The solved shots of a state weigh as much as the failed ones together.
    """
    solved = known & (targets > 0.5)
    failed = known & ~solved
    weights = sum(part / part.sum(-1, keepdim=True).clamp(min=1) for part in (solved, failed))
    errors = functional.smooth_l1_loss(values, targets, reduction="none")
    return 0.5 * (errors * weights).sum(-1).mean(-1)
