"""Time and disk that a dataset takes, measured on its first sets; refuses what the disk has no room for."""

from pathlib import Path
from shutil import disk_usage
from statistics import mean, median

from tumble.errors import TumbleError
from tumble.output import plural
from tumble.progress import duration, note

MIN_SAMPLE, SAMPLE_PER_WORKER = 4, 3
"""Sets that are measured: the first set of each worker takes longer, which the median leaves out."""
TOLERANCE = 0.8
"""The disk is too small if it has less than this share of the estimated bytes."""
_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


class DiskError(TumbleError):
    """Too little room on the disk."""


class Estimate:
    """Measures the first sets that are generated, then prints an estimate of what the others take, once."""

    def __init__(self, root: Path, workers: int | None) -> None:
        """`workers` is None where it isn't known, as on a cluster."""
        self._root, self._workers = root, workers
        self._seconds: list[float] = []
        self._bytes: list[int] = []

    def add(self, seconds: float, size: int, remaining: int) -> None:
        """Adds a set with the seconds and bytes that it took; `remaining` sets are still to be generated."""
        if len(self._bytes) == self.sample:
            return
        self._seconds.append(seconds)
        self._bytes.append(size)
        if len(self._bytes) == self.sample and remaining > 0:
            note(self.text(remaining))
            self._check_disk(remaining)

    @property
    def sample(self) -> int:
        """The number of sets that are measured."""
        return max(MIN_SAMPLE, SAMPLE_PER_WORKER * (self._workers or 1))

    def text(self, remaining: int) -> str:
        """The estimate for a number of sets."""
        size = mean(self._bytes)
        each = (
            f"{median(self._seconds):.2g} s and {byte_text(size)} a set, measured on {plural(len(self._bytes), 'set')}"
        )
        disk = byte_text(size * remaining)
        if self._workers is None:
            return f"{plural(remaining, 'set')} to generate: about {disk} on disk ({each})."
        time = duration(median(self._seconds) * remaining / self._workers)
        workers = plural(self._workers, "worker")
        return f"{plural(remaining, 'set')} to generate: about {time} with {workers}, {disk} on disk ({each})."

    def _check_disk(self, remaining: int) -> None:
        needed, free = mean(self._bytes) * remaining, disk_usage(self._root).free
        if free < TOLERANCE * needed:
            raise DiskError(
                f"{self._root}: {plural(remaining, 'more set')} would take about {byte_text(needed)}, but its disk has "
                f"{byte_text(free)} free; the sets that are finished are kept"
            )


def byte_text(size: float) -> str:
    """A number of bytes to read.

    >>> byte_text(419_000), byte_text(25e9)
    ('419 kB', '25 GB')
    """
    unit = 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.3g} {_UNITS[unit]}"
