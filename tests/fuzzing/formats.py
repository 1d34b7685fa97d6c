"""What a format of inputs is: valid samples, how it is read, what must hold then, and the largest honest file.

`benchmarks/robustness/fuzz.py` changes samples and reads them; `bombs.py` beside it gives readers files that ask for as
much memory and time as they can. The formats are in `*_formats.py`, a list in each.
"""

import re
import shutil
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from mutation import mutated_file
from names import named_file, watched

from tumble.errors import TumbleError

Files = dict[str, bytes | str | None]
"""An input: files by name; None for a folder of that name, text for a link to that path."""
Bombs = Iterator[tuple[str, dict[str, bytes]]]
"""The names of tricks, and files."""
LONGEST_MESSAGE = 3000
NAMED = 0.3
"""Share of inputs that are valid but for names of files, modules and addresses in their texts."""
ODD_FILE = 0.003
"""Share of inputs that are a folder or a link instead of a file."""


class FoundError(Exception):
    """Something that must hold does not."""


@dataclass(frozen=True)
class Finding:
    """An input that was not handled well."""

    kind: str
    number: int
    """Of the input, which with the seed makes it again."""
    problem: str
    """In one line, with the place in the source."""
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.number}: {self.problem}"

    @property
    def group(self) -> str:
        """The same for findings that have the same cause: the error and its place in the source."""
        place = re.search(r"\S+ at \w+\.py:\d+", self.problem)
        return place[0] if place else self.problem[:60]


@dataclass
class Tally:
    """What became of the inputs of a batch."""

    refused: int = 0
    accepted: int = 0
    findings: list[Finding] = field(default_factory=list)
    messages: Counter[str] = field(default_factory=Counter)
    """How often inputs were refused with each type of error."""

    @property
    def inputs(self) -> int:
        return self.refused + self.accepted + len(self.findings)

    def add(self, other: "Tally") -> None:
        """Adds the counts of another batch."""
        self.refused += other.refused
        self.accepted += other.accepted
        self.findings += other.findings
        self.messages.update(other.messages)


@dataclass(eq=False)
class Format:
    """A format of inputs. `read` raises a TumbleError if an input is refused; any other exception is a finding."""

    name: str
    file: str
    """The name of its file; empty if an input is a folder."""
    read: Callable[[Path], Any]
    """Reads the file or folder."""
    samples: Callable[[Path], Sequence[Files]]
    """Valid inputs, made once in each process, in a folder that stays."""
    check: Callable[[Any, Path], None] = lambda value, folder: None
    """Uses what was read; a FoundError if something does not hold."""
    make: Callable[[Random, Sequence[Files]], Files] | None = None
    """Makes an input from samples, if not by changing a file of one."""
    named: Callable[[Random, Files], Files] | None = None
    """Puts names into a sample, if not into the texts of a file."""
    reseal: Callable[[Files], Files] = lambda files: files
    """Makes digests in changed files fit again, so that more is read."""
    share: int = 10
    """Of all inputs, relative to the other formats."""
    needs: tuple[str, ...] = ()
    """Optional packages that it needs."""
    reads_files: bool = True
    """Whether Tumble reads the files; else they only hold the values of an input."""
    largest: Callable[[Path], dict[str, bytes]] | None = None
    """The largest input that anybody has a reason to give; a format without one has no bombs."""
    bombs: Callable[[dict[str, bytes]], Bombs] | None = None
    """Bombs of its own, beside those that the types of files of a sample have."""
    made: Sequence[Files] = ()
    """The samples of this process."""

    def __reduce__(self) -> tuple[Any, ...]:
        from all_formats import format_named

        return format_named, (self.name,)

    @property
    def batch(self) -> int:
        """Inputs of one batch."""
        return min(1000, max(20, 5 * self.share))

    def prepare(self, folder: Path) -> None:
        """Makes the samples."""
        self.made = self.samples(folder)

    def missing(self) -> str:
        """The package that is missing for this format; empty if none is."""
        return next((name for name in self.needs if find_spec(name) is None), "")

    def input(self, seed: int, number: int) -> Files:
        """The input of a number."""
        rng = Random(f"{seed}/{self.name}/{number}")
        if rng.random() < NAMED:
            files = self.resealed(self._with_names(rng))
        elif self.make:
            files = self.make(rng, self.made)
        else:
            sample = rng.choice(self.made)
            name = rng.choice(sorted(sample))
            files = {**sample, name: mutated_file(rng, name, raw(sample, name))}
            files = self.resealed(files) if rng.random() < 0.5 else files
        if self.reads_files and rng.random() < ODD_FILE:
            name = rng.choice(list(files))
            files[name] = rng.choice((None, name, "nowhere", b""))
        return files

    def _with_names(self, rng: Random) -> Files:
        sample = rng.choice(self.made) if self.made else self.make(rng, ()) if self.make else {}
        if self.named:
            return self.named(rng, sample)
        name = rng.choice(sorted(sample))
        return {**sample, name: named_file(rng, name, raw(sample, name))}

    def resealed(self, files: Files) -> Files:
        """The files with digests that fit, where they can be."""
        with suppress(ValueError, TypeError, AttributeError, KeyError, IndexError, RecursionError):
            return self.reseal(files)
        return files

    def use(self, folder: Path) -> None:
        """Reads an input and works with it."""
        self.check(self.read(folder / self.file if self.file else folder), folder)

    def verify(self, seed: int, first: int, count: int, folder: Path) -> Tally:
        """Makes and uses the inputs from `first` on."""
        tally = Tally()
        for number in range(first, first + count):
            clear(folder)
            write(folder, self.input(seed, number))
            own = Tally()
            with watched(folder) as touched:
                judge(self.name, number, lambda: self.use(folder), own)
            if touched and not own.findings:
                own = Tally(findings=[Finding(self.name, number, f"it {touched[0]}", "\n".join(touched))])
            tally.add(own)
        return tally


@dataclass(eq=False)
class Simulated(Format):
    """Values that are simulated together: `read` makes one of a folder; one that is refused is found by halving."""

    together: Callable[[list[tuple[int, Any]]], Iterator[tuple[int, str]]] = lambda values: iter(())
    """Simulates numbered values; yields their numbers with what is wrong with their results."""

    def verify(self, seed: int, first: int, count: int, folder: Path) -> Tally:
        tally, values = Tally(), list[tuple[int, Any]]()
        for number in range(first, first + count):
            clear(folder)
            assert self.make
            write(folder, self.make(Random(f"{seed}/{self.name}/{number}"), self.made))
            own = Tally()
            judge(self.name, number, lambda k=number: values.append((k, self.read(folder))), own)
            own.accepted = 0
            tally.add(own)
        self._simulate(values, tally)
        return tally

    def _simulate(self, values: list[tuple[int, Any]], tally: Tally) -> None:
        if not values:
            return
        try:
            for number, problem in list(self.together(values)):
                if problem:
                    tally.findings.append(Finding(self.name, number, problem))
                else:
                    tally.accepted += 1
        except TumbleError:
            half = len(values) // 2
            if half:
                self._simulate(values[:half], tally)
                self._simulate(values[half:], tally)
            else:
                judge(self.name, values[0][0], lambda: list(self.together(values)), tally)


def raw(files: Files, name: str) -> bytes:
    """The bytes of a file of a sample."""
    content = files[name]
    assert isinstance(content, bytes)
    return content


def judge(kind: str, number: int, use: Callable[[], object], tally: Tally) -> None:
    """Uses an input and counts it."""
    try:
        use()
    except TumbleError as error:
        _count_refusal(kind, number, error, tally)
    except OSError as error:
        if error.filename is None:
            tally.findings.append(_finding(kind, number, error))
        else:
            tally.refused += 1
    except (Exception, KeyboardInterrupt) as error:
        tally.findings.append(_finding(kind, number, error))
    else:
        tally.accepted += 1


def _count_refusal(kind: str, number: int, error: TumbleError, tally: Tally) -> None:
    message, problem = str(error), ""
    if not message.strip() or "\n" in message:
        problem = "the message is not one line"
    elif len(message) > LONGEST_MESSAGE:
        problem = f"the message has {len(message)} characters"
    elif any("\ud800" <= character <= "\udfff" for character in message):
        problem = "the message can't be printed: it has a surrogate"
    if problem:
        found = _finding(kind, number, error)
        tally.findings.append(Finding(kind, number, f"{problem}; {found.problem}"[:400], found.detail))
        return
    tally.refused += 1
    tally.messages[type(error).__name__] += 1


def _finding(kind: str, number: int, error: BaseException) -> Finding:
    frames = traceback.extract_tb(error.__traceback__)
    place = next((frame for frame in reversed(frames) if "/tumble/" in frame.filename), frames[-1])
    where = f"{Path(place.filename).name}:{place.lineno}"
    message = " ".join(str(error).split())[:200].encode("ascii", "backslashreplace").decode()
    detail = "".join(traceback.format_exception(error))[-6000:].encode("utf-8", "backslashreplace").decode()
    return Finding(kind, number, f"{type(error).__name__} at {where}: {message}", detail)


def write(folder: Path, files: Files) -> None:
    """Writes the files of an input into a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.mkdir()
        elif isinstance(content, str):
            path.symlink_to(content)
        else:
            path.write_bytes(content)


def files_in(folder: Path) -> dict[str, bytes]:
    """The bytes of all files of a folder, by name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def clear(folder: Path) -> None:
    """Removes everything in a folder."""
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def expect(condition: bool, problem: str) -> None:
    """Raises a finding unless the condition holds."""
    if not condition:
        raise FoundError(problem)


def expect_finite(values: object, what: str) -> None:
    """Raises a finding unless all numbers are finite."""
    expect(bool(np.isfinite(np.asarray(values, float)).all()), f"{what} are not finite")
