"""A template: many tasks of one design, made from combinations of its parameters and numbered."""

import importlib.util
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import md5
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any

import numpy as np

from tumble.phyre.tasks.builder import Rejected, World
from tumble.phyre.tasks.errors import TemplateError
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.tier import TIERS
from tumble.user_code import error_with_line


def lin(first: float, last: float, count: int) -> list[float]:
    """`count` evenly spaced values, both ends included.

    >>> lin(0.2, 0.6, 3)
    [0.2, 0.4, 0.6]
    """
    return [float(value) for value in np.linspace(first, last, count)]


def steps(step: float, numbers: Sequence[int]) -> list[float]:
    """Whole multiples of a step.

    >>> steps(0.5, range(2, 5))
    [1.0, 1.5, 2.0]
    """
    return [step * number for number in numbers]


class Template:
    """Numbers the tasks of a design.

    All combinations of the parameters are taken in a fixed pseudo-random order; those that `build` rejects are
    dropped, and the rest have the numbers 0, 1, 2, … that end the ids of their tasks.
    """

    def __init__(
        self,
        id: str,
        tier: str,
        parameters: Mapping[str, Sequence[Any]],
        build: Callable[..., None],
        name: str = "",
        description: str = "",
    ) -> None:
        self.id = id
        self.tier = tier
        self.parameters = dict(parameters)
        self.build = build
        self.name = name or id
        self.description = description
        self._counts = tuple(len(values) for values in self.parameters.values())
        self._order = _order(int(np.prod(self._counts)))
        self._tried = 0
        self._accepted: list[int] = []
        self._lock = Lock()

    def task(self, number: int) -> Task:
        """The task of a number."""
        return self._build(self._combination(number)).task(f"{self.id}:{number:03d}", self.tier)

    def tasks(self, numbers: Sequence[int]) -> list[Task]:
        """The tasks of several numbers."""
        return [self.task(number) for number in numbers]

    def first_tasks(self, count: int) -> Iterator[Task]:
        """The first `count` tasks, or all if there are fewer."""
        self._accept(count)
        return (self.task(number) for number in range(min(count, len(self._accepted))))

    def values(self, number: int) -> dict[str, Any]:
        """The parameters of a task."""
        return self._values(self._combination(number))

    def __len__(self) -> int:
        """The number of tasks; the first call tries all combinations."""
        self._accept(len(self._order))
        return len(self._accepted)

    def _combination(self, number: int) -> int:
        if number < 0:
            raise TemplateError(f"template {self.id} ({self.name}) numbers its tasks from 0; there is no {number}")
        self._accept(number + 1)
        if number >= len(self._accepted):
            raise TemplateError(
                f"template {self.id} ({self.name}) has {len(self._accepted)} tasks, the last is number "
                f"{len(self._accepted) - 1}; there is no {number}"
            )
        return self._accepted[number]

    def _accept(self, count: int) -> None:
        """Tries combinations until `count` are accepted or none is left; one whose build fails is tried again."""
        with self._lock:
            while len(self._accepted) < count and self._tried < len(self._order):
                combination = self._order[self._tried]
                with suppress(Rejected):
                    self._build(combination)
                    self._accepted.append(combination)
                self._tried += 1

    def _values(self, combination: int) -> dict[str, Any]:
        chosen = []
        for values in reversed(self.parameters.values()):
            combination, index = divmod(combination, len(values))
            chosen.append(values[index])
        return dict(zip(self.parameters, reversed(chosen), strict=True))

    def _build(self, combination: int) -> World:
        world = World()
        self.build(world, **self._values(combination))
        return world


@lru_cache(maxsize=64)
def _order(count: int) -> tuple[int, ...]:
    """The numbers from 0 on, sorted by the digest of their decimal text."""
    return tuple(sorted(range(count), key=lambda k: md5(str(k).encode(), usedforsecurity=False).digest()))


def load(path: str | Path) -> Template:
    """A user-defined template: a Python file with ID, TIER, PARAMETERS and build, like the files in `templates/`."""
    file = Path(path)
    spec = importlib.util.spec_from_file_location(f"tumble_template_{file.stem}", file)
    if spec is None or spec.loader is None or not file.is_file():
        raise TemplateError(f"{path}: no such Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise TemplateError(error_with_line(error, path)) from error
    return from_module(module, file.stem, str(path))


def from_module(module: ModuleType, name: str, where: str) -> Template:
    """The template that a module describes; errors begin with `where`."""
    problem = next(_problems(module), None)
    if problem is not None:
        raise TemplateError(f"{where}: {problem}")
    return Template(module.ID, module.TIER, module.PARAMETERS, module.build, name, inspect.getdoc(module) or "")


def _problems(module: ModuleType) -> Iterator[str]:
    for name in ("ID", "TIER", "PARAMETERS", "build"):
        if not hasattr(module, name):
            yield f"a template needs ID, TIER, PARAMETERS and build; {name} is missing"
            return
    if not isinstance(module.ID, str) or not re.fullmatch(r"[\w-]+", module.ID):
        yield f"ID must be letters, digits, _ or -, not {module.ID!r}"
    if not isinstance(module.TIER, str) or module.TIER not in TIERS:
        yield f"no tier {module.TIER!r}; there are {', '.join(TIERS)}"
    if not isinstance(module.PARAMETERS, Mapping) or not all(
        isinstance(values, Sequence | np.ndarray) and len(values) for values in module.PARAMETERS.values()
    ):
        yield "PARAMETERS must give for each name the values that it can have"
        return
    if not callable(module.build):
        yield f"build must be a function, not {module.build!r}"
        return
    arguments = list(inspect.signature(module.build).parameters)[1:]
    if sorted(arguments) != sorted(module.PARAMETERS):
        names = ", ".join(module.PARAMETERS)
        yield f"build takes {', '.join(arguments) or 'nothing'} besides the world, but PARAMETERS has {names}"
