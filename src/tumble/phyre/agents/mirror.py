"""Mirror images of tasks and of the actions on them, left to right."""

import torch
from torch import Tensor


def flipped(planes: Tensor, flip: Tensor) -> Tensor:
    """Planes of pictures [n, colours, side, side], mirrored where `flip` [n] is true."""
    return torch.where(flip.view(-1, 1, 1, 1), planes.flip(3), planes)


def flipped_actions(actions: Tensor, flip: Tensor) -> Tensor:
    """Actions [n, m, numbers] on these tasks, mirrored in the same way; still in the unit cube."""
    is_x = torch.arange(actions.shape[2], device=actions.device) % 3 == 0
    mirror_images = (256.0 / 255.0 - actions).clamp(max=1.0)
    return torch.where(flip.view(-1, 1, 1) & is_x, mirror_images, actions)
