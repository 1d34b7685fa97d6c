"""Mirror images of tasks and of the actions on them, left to right."""

import torch
from torch import Tensor


def flipped(planes: Tensor, flip: Tensor) -> Tensor:
    """Planes of pictures [n, colours, side, side], mirrored where `flip` [n] is true."""
    return torch.where(flip.view(-1, 1, 1, 1), planes.flip(3), planes)


def flipped_actions(actions: Tensor, flip: Tensor) -> Tensor:
    """Actions [n, m, numbers] on these tasks, mirrored in the same way."""
    return torch.where(flip.view(-1, 1, 1), mirror_image(actions), actions)


def mirror_image(actions: Tensor) -> Tensor:
    """The mirror image of each action […, numbers]; still in the unit cube."""
    found = actions.clone()
    found[..., ::3] = (256.0 / 255.0 - actions[..., ::3]).clamp(max=1.0)
    return found
