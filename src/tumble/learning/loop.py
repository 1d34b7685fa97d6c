"""The loop of every training that resumes from a checkpoint: what a step does and a checkpoint holds is the caller's.

Checkpoints are written only where the curve gets a point. With steps that depend on nothing but the checkpoint, the
seed and their own number, training that was killed therefore resumes and ends with the same weights and curve.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from tumble.learning.errors import PausedError, TrainingError
from tumble.learning.hardware import deterministic
from tumble.progress import bar_with_note

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
            self.curve = {name: _halved(points) for name, points in self.curve.items()}

    def latest(self) -> float:
        """The sum of the last points of all values."""
        return sum(points[-1][1] for points in self.curve.values() if points)


def _halved(points: list[tuple[int, float]]) -> list[tuple[int, float]]:
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
