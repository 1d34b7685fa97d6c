"""A kind of input: how one is made from a seed, and what must hold when it is read and used."""

import json
import re
import shutil
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from random import Random

import numpy as np
from names import named_bytes, watched

from tumble.errors import TumbleError

Files = dict[str, bytes | str | None]
"""An input: files by name; None for a folder of that name, text for a link to that path."""

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
    last_refused: bool = False
    """Whether the last input was refused."""

    @property
    def inputs(self) -> int:
        return self.refused + self.accepted + len(self.findings)

    def touched(self, kind: str, number: int, what: Sequence[str]) -> None:
        """Makes a finding of an input that made something be opened or run, unless it is one already."""
        if self.findings and self.findings[-1].number == number and self.findings[-1].kind == kind:
            return
        self.refused -= self.last_refused
        self.accepted -= not self.last_refused
        self.findings.append(Finding(kind, number, f"it {what[0]}", "\n".join(what)))

    def add(self, other: "Tally") -> None:
        """Adds the counts of another batch."""
        self.refused += other.refused
        self.accepted += other.accepted
        self.findings += other.findings
        self.messages.update(other.messages)


class Kind:
    """A kind of input. `make` makes one, `use` reads it and works with it.

    `use` raises a TumbleError if the input is refused; any other exception is a finding.
    """

    name: str
    share: int
    """Of all inputs, relative to the other kinds."""
    batch = 200
    """Inputs of one batch."""
    reads_files = True
    """Whether Tumble reads the files; else they only hold the values of an input."""
    needs: tuple[str, ...] = ()
    """Optional packages that it needs."""
    folders: tuple[Path, ...] = ()
    """Folders that a person gives in the command, beside that of the input."""

    def prepare(self, folder: Path) -> None:
        """Makes the valid inputs that are changed; called once in each process."""

    def make(self, rng: Random) -> Files:
        """An input."""
        raise NotImplementedError

    def use(self, folder: Path) -> None:
        """Reads the files of an input from a folder and works with what they hold."""
        raise NotImplementedError

    def missing(self) -> str:
        """The package that is missing for this kind; empty if none is."""
        return next((name for name in self.needs if find_spec(name) is None), "")

    def sound(self, rng: Random) -> Files:
        """An input that is valid, or nearly so, to put names into."""
        return self.make(rng)

    def named(self, rng: Random, files: Files) -> Files:
        """The files of an input with names of files, modules and addresses in their text fields."""
        name = rng.choice(list(files))
        content = files[name]
        return {**files, name: named_bytes(rng, content)} if isinstance(content, bytes) else files

    def input(self, seed: int, number: int) -> Files:
        """The input of a number."""
        rng = Random(f"{seed}/{self.name}/{number}")
        files = self.named(rng, self.sound(rng)) if rng.random() < NAMED else self.make(rng)
        if self.reads_files and rng.random() < ODD_FILE:
            name = rng.choice(list(files))
            files[name] = rng.choice((None, name, "nowhere", b""))
        return files

    def check(self, seed: int, first: int, count: int, folder: Path) -> Tally:
        """Makes and uses the inputs from `first` on."""
        tally = Tally()
        for number in range(first, first + count):
            clear(folder)
            write(folder, self.input(seed, number))
            with watched(folder, *self.folders) as touched:
                judge(self.name, number, lambda: self.use(folder), tally)
            if touched:
                tally.touched(self.name, number, touched)
        return tally


def judge(kind: str, number: int, use: Callable[[], None], tally: Tally) -> None:
    """Uses an input and counts it."""
    refused = tally.refused
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
    tally.last_refused = tally.refused > refused


def _count_refusal(kind: str, number: int, error: TumbleError, tally: Tally) -> None:
    message = str(error)
    problem = ""
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


def chosen(kinds: Sequence[Kind], names: str) -> list[Kind]:
    """The kinds of the given names, or all."""
    known = {kind.name: kind for kind in kinds}
    wanted = [name for name in names.split(",") if name] or list(known)
    unknown = next((name for name in wanted if name not in known), None)
    if unknown is not None:
        raise SystemExit(f"no kind {unknown!r}; there are {', '.join(known)}")
    return [known[name] for name in wanted]


def as_lists(text: bytes) -> object:
    """The value of a JSON text that may hold NaN and infinities."""
    return json.loads(text)
