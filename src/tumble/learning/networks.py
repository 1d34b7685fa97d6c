"""What the networks of all benchmarks share: ResNet-18, devices and precision, and steps as CUDA graphs.

A step of a small network is hundreds of kernels, each shorter than its launch; a graph launches all at once.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.learning.settings import TrainingError

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


EAGER_STEPS = 3
"""Steps with inputs of new shapes before their graph is captured, so that libraries have chosen their kernels."""

InputShapes = tuple[torch.Size, ...]


@dataclass(frozen=True)
class _CapturedGraph:
    graph: torch.cuda.CUDAGraph
    inputs: tuple[Tensor, ...]
    output: Tensor


class CapturedStep:
    """Calls a step, which must not copy from or to the host; on a GPU, from the fourth call on, as a graph.

    There is a graph for each combination of input shapes. The output is overwritten by the next call. Only values
    that the step reads from tensors may change between calls: a learning rate must be a tensor.
    """

    def __init__(self, step: Callable[..., Tensor], device: torch.device) -> None:
        self._step, self._on_gpu = step, device.type == "cuda"
        self._eager_calls: dict[InputShapes, int] = {}
        self._graphs: dict[InputShapes, _CapturedGraph] = {}

    def __call__(self, *inputs: Tensor) -> Tensor:
        if not self._on_gpu:
            return self._step(*inputs)
        shapes = tuple(one.shape for one in inputs)
        if self._eager_calls.setdefault(shapes, 0) < EAGER_STEPS:
            self._eager_calls[shapes] += 1
            return self._eager(inputs)
        if shapes not in self._graphs:
            self._graphs[shapes] = self._capture(inputs)
        captured = self._graphs[shapes]
        for own, given in zip(captured.inputs, inputs, strict=True):
            own.copy_(given)
        captured.graph.replay()
        return captured.output

    def _eager(self, inputs: tuple[Tensor, ...]) -> Tensor:
        """The step on a stream of its own, as capturing requires of the steps before it."""
        current, stream = torch.cuda.current_stream(), torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(current)
        with torch.cuda.stream(stream):
            output = self._step(*inputs)
        current.wait_stream(stream)
        return output

    def _capture(self, inputs: tuple[Tensor, ...]) -> _CapturedGraph:
        own = tuple(one.clone() for one in inputs)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            output = self._step(*own)
        return _CapturedGraph(graph, own, output)


@contextmanager
def parallel_branches(device: torch.device) -> Iterator[Callable[[], AbstractContextManager[None]]]:
    """Gives contexts whose work on a GPU may run at the same time; all of it is finished for what comes after.

    In a captured step they are parallel branches of the graph, which fill a GPU that one small network does not.
    """
    if device.type != "cuda":
        yield nullcontext
        return
    current, used = torch.cuda.current_stream(), []

    @contextmanager
    def branch() -> Iterator[None]:
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        used.append(stream)
        stream.wait_stream(current)
        with torch.cuda.stream(stream):
            yield

    yield branch
    for stream in used:
        current.wait_stream(stream)


def capturable_adam(parameters: Iterable[nn.Parameter], learning_rate: float, device: torch.device) -> torch.optim.Adam:
    """Adam whose steps can be captured."""
    if device.type != "cuda":
        return torch.optim.Adam(parameters, learning_rate)
    return torch.optim.Adam(parameters, torch.tensor(learning_rate, device=device), fused=True, capturable=True)


def set_learning_rate(optimizer: torch.optim.Optimizer, value: float) -> None:
    """Sets the learning rate of an optimizer, also where its steps are captured."""
    for group in optimizer.param_groups:
        if isinstance(group["lr"], Tensor):
            group["lr"].fill_(value)
        else:
            group["lr"] = value


def load_optimizer_state(optimizer: torch.optim.Optimizer, state: dict[str, Any]) -> None:
    """Restores the state of an optimizer; the learning rate stays where it was, on its device."""
    rates = [group["lr"] for group in optimizer.param_groups]
    optimizer.load_state_dict(state)
    for group, rate in zip(optimizer.param_groups, rates, strict=True):
        group["lr"] = rate


STAGES = (64, 128, 256, 512)
"""Channels of the stages conv2 to conv5."""


class ResidualBlock(nn.Module):
    """Two convolutions whose result is added to their input."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(outputs)
        self.second = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(outputs)
        self.shortcut: nn.Module = nn.Identity()
        if stride > 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        inner = functional.relu(self.first_norm(self.first(x)))
        return functional.relu(self.second_norm(self.second(inner)) + self.shortcut(x))


class ResNet18(nn.Module):
    """Features [n, 512, rows / 32, columns / 32] of pictures [n, inputs, rows, columns]; rows and columns round up.

    With a `width` below 1 it has that share of the channels, for tests and small machines.
    """

    def __init__(self, inputs: int, width: float = 1.0) -> None:
        super().__init__()
        channels = [max(1, round(count * width)) for count in STAGES]
        before = [channels[0], *channels]
        self.channels = channels[-1]
        self.stem = nn.Sequential(
            nn.Conv2d(inputs, channels[0], 7, 2, padding=3, bias=False), nn.BatchNorm2d(channels[0]), nn.ReLU()
        )
        self.stages = nn.Sequential(
            *(
                nn.Sequential(ResidualBlock(before[k], count, 1 if k == 0 else 2), ResidualBlock(count, count, 1))
                for k, count in enumerate(channels)
            )
        )
        initialise_convolutions(self)

    def forward(self, x: Tensor) -> Tensor:
        features: Tensor = self.stages(max_pool(self.stem(x)))
        return features


def initialise_convolutions(network: nn.Module) -> None:
    """Draws the weights of all convolutions as for networks with ReLU."""
    for module in network.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")


def max_pool(x: Tensor) -> Tensor:
    """2 x 2 max pooling."""
    return functional.max_pool2d(x, 2)
