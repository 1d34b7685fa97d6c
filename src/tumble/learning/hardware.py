"""Device, precision and determinism of a network."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from tumble.learning.errors import TrainingError

DEVICES = ("auto", "cpu", "cuda")


def torch_device(name: str) -> torch.device:
    """The device of a name; "auto" is the GPU if there is one."""
    if name not in DEVICES:
        raise TrainingError(f"no device {name!r}; there are {', '.join(DEVICES)}")
    if name == "cuda" and not torch.cuda.is_available():
        raise TrainingError("PyTorch sees no CUDA device here; use device=cpu")
    return torch.device("cuda" if name == "auto" and torch.cuda.is_available() else name.replace("auto", "cpu"))


def mixed_precision(device: torch.device) -> torch.autocast:
    """A context in which convolutions run in bfloat16 if the device has instructions for that."""
    cpu_supports = getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    return torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda" or bool(cpu_supports()))


def full_precision(device: torch.device) -> torch.autocast:
    """A context in which everything runs in the precision of its inputs."""
    return torch.autocast(device.type, enabled=False)


@contextmanager
def deterministic() -> Iterator[None]:
    """A context in which convolutions on a GPU add in the same order every time."""
    before = torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark
    torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = True, False
    try:
        yield
    finally:
        torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = before
