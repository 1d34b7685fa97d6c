"""Small constant tensors, made once for each device: making them anew would stop a GPU every time."""

from functools import lru_cache

import torch
from torch import Tensor


@lru_cache(maxsize=256)
def constant(values: tuple[float, ...] | tuple[int, ...], device: torch.device) -> Tensor:
    """A vector on a device; not to be changed."""
    return torch.tensor(values, device=device)
