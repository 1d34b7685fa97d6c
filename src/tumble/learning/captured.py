"""Steps of gradient descent that a GPU replays as CUDA graphs.

A step of a small network is hundreds of kernels, each shorter than its launch. A graph launches all of them at once.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

EAGER_STEPS = 3
"""Steps with inputs of new shapes before their graph is captured, so that libraries have chosen their kernels."""

Shapes = tuple[torch.Size, ...]


@dataclass(frozen=True)
class _Graph:
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
        self._eager_calls: dict[Shapes, int] = {}
        self._graphs: dict[Shapes, _Graph] = {}

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

    def _capture(self, inputs: tuple[Tensor, ...]) -> _Graph:
        own = tuple(one.clone() for one in inputs)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            output = self._step(*own)
        return _Graph(graph, own, output)


@contextmanager
def parallel(device: torch.device) -> Iterator[Callable[[], AbstractContextManager[None]]]:
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


def adam(parameters: Iterable[nn.Parameter], learning_rate: float, device: torch.device) -> torch.optim.Adam:
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


def load_state(optimizer: torch.optim.Optimizer, state: dict[str, Any]) -> None:
    """Restores the state of an optimizer; the learning rate stays where it was, on its device."""
    rates = [group["lr"] for group in optimizer.param_groups]
    optimizer.load_state_dict(state)
    for group, rate in zip(optimizer.param_groups, rates, strict=True):
        group["lr"] = rate
