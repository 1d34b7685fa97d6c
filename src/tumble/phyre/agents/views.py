"""Views of actions: what PHYRE's symmetries say is the same action, and its mean score over them.

Up to rounding, the outcome of an action stays the same if it and its task are mirrored, left to right, or if its two
balls are placed in the other order. A network learns this only roughly; the mean over all views ranks actions better.

Every picture is followed by its mirror image, so that a network sees all views in one batch:

    features = network.encode(with_mirror_images(pictures))     # [2 * n, …]
    views = all_views(actions)                                  # actions [n, m, numbers], m for each picture
    means = mean_of_views(network.score(features, views), n, m)  # [n, m]
"""

import torch
from torch import Tensor

from tumble.phyre.agents.mirror import mirror_image


def view_count(numbers: int) -> int:
    """The views of an action: as it is and mirrored, and each of these with two balls in both orders."""
    return 4 if numbers > 3 else 2


def with_mirror_images(planes: Tensor) -> Tensor:
    """[2 * n, colours, side, side]: planes of pictures [n, …], each followed by its mirror image."""
    return torch.stack([planes, planes.flip(3)], dim=1).flatten(0, 1)


def all_views(actions: Tensor) -> Tensor:
    """[n * views * m, numbers] of actions [n, m, numbers]: for each picture those on it, then on its mirror image."""
    orders = actions
    if actions.shape[2] > 3:
        orders = torch.cat([actions, actions.roll(3, dims=2)], dim=1)
    return torch.stack([orders, mirror_image(orders)], dim=1).flatten(0, 2)


def mean_of_views(scores: Tensor, pictures: int, actions: int) -> Tensor:
    """[pictures, actions]: the mean over views of the scores of `all_views`."""
    return scores.view(pictures, -1, actions).mean(1)
