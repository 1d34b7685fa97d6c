"""Where a network runs, and how: which device, in which precision, and with the same result every time."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

DEVICES = ("auto", "cpu", "cuda")


def chosen(name: str) -> torch.device:
    """The device of a name; "auto" is the GPU where there is one."""
    if name not in DEVICES:
        raise ValueError(f"no device {name!r}; there are {', '.join(DEVICES)}")
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("PyTorch sees no CUDA device here; use device=cpu")
    return torch.device("cuda" if name == "auto" and torch.cuda.is_available() else name.replace("auto", "cpu"))


def fast(device: torch.device) -> torch.autocast:
    """A context in which convolutions run in bfloat16 where the device has instructions for that."""
    cpu_has = getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    return torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda" or bool(cpu_has()))


def exact(device: torch.device) -> torch.autocast:
    """A context in which everything runs in the precision that it has."""
    return torch.autocast(device.type, enabled=False)


@contextmanager
def repeatable() -> Iterator[None]:
    """A context in which convolutions on a GPU add in the same order every time."""
    before = torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark
    torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = True, False
    try:
        yield
    finally:
        torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = before
