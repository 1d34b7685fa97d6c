"""Mirror images of tasks and of the actions on them, left to right."""

from collections.abc import Callable

import torch
from torch import Tensor


def flipped(inputs: Tensor, mirror: Callable[[Tensor], Tensor], flip: Tensor) -> Tensor:
    """What a network sees of tasks [n, …], mirrored where `flip` [n] is true."""
    return torch.where(flip.view(-1, *(1,) * (inputs.dim() - 1)), mirror(inputs), inputs)


def flipped_actions(actions: Tensor, flip: Tensor) -> Tensor:
    """Actions [n, m, numbers] on these tasks, mirrored in the same way; still in the unit cube."""
    is_x = torch.arange(actions.shape[2], device=actions.device) % 3 == 0
    mirror_images = (256.0 / 255.0 - actions).clamp(max=1.0)
    return torch.where(flip.view(-1, 1, 1) & is_x, mirror_images, actions)
