"""What every training stands on: devices, checkpoint files, steps as CUDA graphs, and the loop that resumes.

- A checkpoint is written whole or not at all, and rejected if it is damaged or of another kind. The file is what
  PyTorch writes, followed by a digest of it.
- A step of a small network is hundreds of kernels, each shorter than its launch; a graph launches all at once.
- What a step does and a checkpoint holds is the caller's. The loop writes checkpoints only where the curve gets a
  point. With steps that depend on nothing but the checkpoint, the seed and their own number, training that was killed
  therefore resumes and ends with the same weights and curve.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from pickletools import genops
from typing import Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import torch
from torch import Tensor, nn

from tumble.bounded import BoundError, check_members, read_bytes
from tumble.errors import TumbleError
from tumble.learning.settings import PausedError, TrainingError
from tumble.progress import bar_with_note
from tumble.scene.files import whole_file

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


MOST_CHECKPOINT_BYTES = 1 << 33
"""Of a file."""
MOST_SHARING = 4
"""How often tensors may show the bytes of a file, on average."""
MOST_PICKLED_VALUES = 500_000
"""Of the pickled values of a file; the package's have at most 5,600."""
KNOWN_IN_PICKLES = ("collections OrderedDict", "torch._utils _rebuild_tensor_v2", "torch Size")
"""What pickled values may name, beside the storages of tensors."""
DIGEST_TRAILER = b"\nsha256 "
"""Stands before the digest at the end of a file."""
DIGEST_TRAILER_BYTES = len(DIGEST_TRAILER) + sha256().digest_size


def write_checkpoint(path: str | Path, content: Mapping[str, Any]) -> None:
    """Writes a checkpoint; `content["format"]` names what it is."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    buffer = BytesIO()
    torch.save(dict(content), buffer)
    with whole_file(target) as temporary, temporary.open("wb") as stream:
        stream.write(checkpoint_bytes(buffer.getvalue()))
        stream.flush()
        os.fsync(stream.fileno())


def checkpoint_bytes(data: bytes) -> bytes:
    """The content of a checkpoint file, from the bytes that PyTorch writes."""
    return data + DIGEST_TRAILER + sha256(data).digest()


def read_checkpoint(
    path: str | Path,
    file_format: str | tuple[str, ...],
    parts: Mapping[str, type],
    error: type[TumbleError] = TrainingError,
) -> dict[str, Any]:
    """Reads a checkpoint of a format, or of one of several, with its tensors on the CPU.

    `parts` are the types of what it must hold.
    """
    formats = (file_format,) if isinstance(file_format, str) else file_format
    try:
        raw = read_bytes(path, MOST_CHECKPOINT_BYTES)
    except BoundError as problem:
        raise error(f"{path}: {problem}") from None
    except OSError as problem:
        raise error(f"{path}: {problem.strerror}") from None
    data = raw[:-DIGEST_TRAILER_BYTES]
    if checkpoint_bytes(data) != raw:
        raise error(f"{path}: no checkpoint, or a damaged one: it does not end with its digest")
    try:
        _check_pickled(data)
    except BoundError as problem:
        raise error(f"{path}: no checkpoint, or a damaged one: {problem}") from None
    try:
        content = torch.load(BytesIO(data), map_location="cpu", weights_only=True)
    except Exception as problem:  # PyTorch does not document what a damaged file raises
        raise error(f"{path}: no checkpoint, or a damaged one ({type(problem).__name__})") from None
    if not isinstance(content, dict) or content.get("format") not in formats:
        raise error(f"{path}: not a checkpoint of this version: its format is not {formats[0]}")
    if _tensor_bytes(content) > MOST_SHARING * len(data):
        raise error(f"{path}: no checkpoint, or a damaged one: its tensors are larger than the file")
    wrong = next((name for name, kind in parts.items() if not isinstance(content.get(name), kind)), None)
    if wrong is not None:
        raise error(f"{path}: its {wrong!r} is missing or of the wrong type")
    return content


def _check_pickled(data: bytes) -> None:
    """Raises a BoundError unless data are what PyTorch writes of plain values and tensors.

    `weights_only` lets a file make more than that, such as arrays of bytes of any size, and unpacks compressed parts.
    """
    try:
        with ZipFile(BytesIO(data)) as file:
            check_members(file.infolist(), len(data), (ZIP_STORED,))
            names = [name for name in file.namelist() if name.endswith("/data.pkl")]
            values = b"".join(map(file.read, names[:1]))
        for number, (code, value, _) in enumerate(genops(values), 1):
            if number > MOST_PICKLED_VALUES:
                raise BoundError(f"it has more than {MOST_PICKLED_VALUES:,} values")
            if code.name in ("GLOBAL", "STACK_GLOBAL", "INST") and not _is_known_in_pickles(code.name, value):
                raise BoundError(f"it names {value!s:.60}, which is no tensor")
    except (BadZipFile, ValueError, EOFError, NotImplementedError, RuntimeError, OSError, LookupError) as error:
        raise BoundError(str(error)) from None


def _is_known_in_pickles(code: str, name: object) -> bool:
    """Whether a pickle may name something: tensors, what they are stored in, and ordered tables."""
    return code == "GLOBAL" and (
        name in KNOWN_IN_PICKLES or (str(name).startswith("torch ") and str(name).endswith("Storage"))
    )


def _tensor_bytes(content: Any) -> int:
    """The bytes of all tensors in a value, however deep; a tensor may show the same bytes again and again."""
    size, waiting, seen = 0, [content], set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, torch.Tensor):
            size += value.numel() * value.element_size()
        elif isinstance(value, Mapping | list | tuple) and id(value) not in seen:
            seen.add(id(value))
            waiting += value.values() if isinstance(value, Mapping) else value
    return size


def half_precision(weights: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Weights in half precision, to be shipped."""
    return {name: value.half() if value.is_floating_point() else value for name, value in weights.items()}


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


SHOW_EVERY = 20
"""Steps after which the bar moves, at the latest."""


@dataclass
class Progress:
    """How far training is, and the curve of the values that its steps returned."""

    interval: int = 1
    """Steps of which a point of the curve is the mean; the last point may be that of fewer."""
    max_points: int | None = None
    """Above this number, two points of the curve become one, and the interval doubles."""
    step: int = 0
    """Steps that are done."""
    seconds: float = 0.0
    """Duration, pauses excluded."""
    finished: bool = False
    curve: dict[str, list[tuple[int, float]]] = field(default_factory=dict)
    """For each value, (step, mean since the point before)."""
    _sums: dict[str, Tensor] = field(default_factory=dict, init=False, repr=False)
    _counts: dict[str, int] = field(default_factory=dict, init=False, repr=False)

    def restore(self, content: Mapping[str, Any], curve: Mapping[str, Sequence[tuple[int, float]]]) -> None:
        """Takes over what a checkpoint holds."""
        self.step, self.seconds = content["step"], content["seconds"]
        self.curve = {name: [(int(step), float(mean)) for step, mean in points] for name, points in curve.items()}

    def add(self, values: Mapping[str, Tensor]) -> bool:
        """Counts a step and the values that it returned; returns whether the curve got a point."""
        self.step += 1
        for name, value in values.items():
            self._sums[name] = self._sums[name] + value if name in self._sums else value.clone()
            self._counts[name] = self._counts.get(name, 0) + 1
        if self.step % self.interval:
            return False
        self.add_point()
        return True

    def add_point(self) -> None:
        """Adds the mean of the values since the last point to the curve, if there are any."""
        for name, total in self._sums.items():
            self.curve.setdefault(name, []).append((self.step, float(total) / self._counts[name]))
        self._sums, self._counts = {}, {}
        if self.max_points is not None and any(len(points) > self.max_points for points in self.curve.values()):
            self.interval *= 2
            self.curve = {name: _halved_curve(points) for name, points in self.curve.items()}

    def latest(self) -> float:
        """The sum of the last points of all values."""
        return sum(points[-1][1] for points in self.curve.values() if points)


def _halved_curve(points: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """Two neighbouring points as one."""
    pairs = zip(points[::2], points[1::2], strict=False)
    return [(second[0], (first[1] + second[1]) / 2.0) for first, second in pairs]


@dataclass(frozen=True)
class Budget:
    """When training ends: after some steps, or after some minutes."""

    steps: int | None = None
    minutes: float | None = None

    def __post_init__(self) -> None:
        given = [value for value in (self.steps, self.minutes) if value is not None]
        if len(given) != 1 or given[0] <= 0:
            raise TrainingError("give training either a number of steps or a number of minutes, above 0")

    @property
    def total(self) -> float:
        """Steps or seconds."""
        return self.steps if self.steps is not None else 60.0 * (self.minutes or 0.0)

    def done(self, progress: Progress) -> float:
        """Steps or seconds, of the total."""
        return progress.step if self.steps is not None else progress.seconds

    def share(self, progress: Progress) -> float:
        """The share of the training that is done."""
        return self.done(progress) / self.total


@dataclass(frozen=True)
class Pause:
    """A limit of time after which training stops, with a checkpoint to resume from."""

    minutes: float = 0.0
    """0 for no limit."""
    start: float = 0.0
    """From when the minutes count, in seconds of time.monotonic()."""
    unit: str = "step"
    """What a step is called, as in "update"."""
    checkpoint: str = ""


NO_PAUSE = Pause()


def run_steps(
    progress: Progress,
    budget: Budget,
    step: Callable[[int], Mapping[str, Tensor]],
    save: Callable[[], None],
    save_every: float,
    label: str = "Training",
    note: Callable[[float], str] = "loss {:.3f}".format,
    pause: Pause = NO_PAUSE,
) -> None:
    """Calls `step` with the numbers of the steps that are left, and `save` every `save_every` seconds and at the end.

    `step` returns the values that the curve is made of. `progress` is up to date whenever `save` is called. The bar
    shows a `note` of the latest point.
    """
    start, saved_at = time.monotonic() - progress.seconds, time.monotonic()
    with deterministic(), bar_with_note(label, round(budget.total), round(budget.done(progress))) as show:
        while budget.share(progress) < 1.0:
            has_point = progress.add(step(progress.step))
            progress.seconds = time.monotonic() - start
            if has_point or progress.step % SHOW_EVERY == 0:
                show(round(budget.done(progress)), note(progress.latest()) if progress.curve else "")
            if not has_point or budget.share(progress) >= 1.0:
                continue
            time_is_over = bool(pause.minutes) and time.monotonic() - pause.start >= 60.0 * pause.minutes
            if time_is_over or time.monotonic() - saved_at >= save_every:
                save()
                saved_at = time.monotonic()
            if time_is_over:
                raise PausedError(
                    f"training stopped after {pause.minutes:g} minutes at {pause.unit} {progress.step} of "
                    f"{budget.total}; the same call resumes from {pause.checkpoint}"
                )
    progress.add_point()
    progress.seconds, progress.finished = time.monotonic() - start, True
    save()
