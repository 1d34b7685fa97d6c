"""What a benchmark brings for the web: its pages, tasks of a study on its play page, and replays of its logs.

`Benchmark.pages()` returns an instance of `WebPages`, whose `study` returns `StudyPages`; `Benchmark.replays()`
returns `Replays`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from fastapi import APIRouter

from tumble.errors import TumbleError
from tumble.runs.header import RunHeader
from tumble.runs.log import Row
from tumble.studies.study import Action, Outcome
from tumble.web.options import Limits
from tumble.web.physics_queue import PhysicsQueue
from tumble.web.responses import WebError


@dataclass(frozen=True)
class PageServices:
    """What the server offers to the pages of a benchmark."""

    physics: PhysicsQueue
    """Runs simulations in batches, off the event loop."""
    runs: Path | None = None
    """A folder of run logs, if one was given."""
    limits: Limits = field(default_factory=Limits)
    """For what comes from the net."""


class WebPages(ABC):
    """The pages of a benchmark, below /NAME/ where NAME is that of the benchmark.

    Importing its module may take long: the server does it once, when it starts.
    """

    title: ClassVar[str]
    """As on the first page."""
    summary: ClassVar[str]
    """One line on the first page."""
    picture: ClassVar[str] = ""
    """The path of a square picture for the first page, below /NAME; empty for none."""
    package: ClassVar[str]
    """Its folder `static` is served below /NAME/static/; like /NAME/pictures/ outside the limit of requests."""
    body_bytes: ClassVar[int | None] = None
    """Of a request to these pages; None for the server's limit."""

    @abstractmethod
    def router(self, services: PageServices) -> APIRouter:
        """The routes, with paths relative to /NAME; the one of "/" is the start page."""

    def warm_up(self) -> None:  # noqa: B027 (most have nothing to load)
        """Loads what the first attempt needs; called in a thread of its own when the server has started."""

    def study(self, tasks: Any) -> "StudyPages | None":
        """How the play page shows the tasks of a study, those that the benchmark's `study_tasks` returned."""
        return None


@dataclass(frozen=True)
class StudyAttempt:
    """The action of an attempt so far, all of its parts."""

    task_id: str
    action: Action


class StudyPages(ABC):
    """Tasks and attempts of a study, as the file `play.html` of the benchmark's pages shows them."""

    @abstractmethod
    def task(self, task_id: str) -> dict[str, Any]:
        """A task for the page, without anything that helps to solve it, or that tells which one it is."""

    @abstractmethod
    def outcomes(self, attempts: Sequence[StudyAttempt]) -> Sequence[Outcome | TumbleError]:
        """Outcomes equal to those of the study's tasks; `shown` is what the page plays, from the last part on."""


SOLVED_STATUS = 1
"""The least status of an attempt that solves its task, unless a benchmark says otherwise."""


@dataclass(frozen=True)
class Replayed:
    """An attempt of a log that was made again."""

    clip: bytes
    """JSON for the benchmark's script, which plays it."""
    outcome: Mapping[str, Any] = field(default_factory=dict)
    """The fields of the log's row as they are now."""


class Replays:
    """How tasks and attempts of a benchmark's run logs are shown below /watch/.

    This class itself shows tables only: a benchmark overrides what it has more of. Methods may take a second: they are
    called in a thread, apart from `replay`. The header is that of a log in the folder that the server was given.
    """

    script: ClassVar[str] = ""
    """The address of a JavaScript module with a class `Replay` that draws tasks and clips (docs/guides/play.md); empty
    where attempts can't be replayed."""
    task_word: ClassVar[str] = "task"
    attempt_word: ClassVar[str] = "attempt"

    def group(self, task_id: str) -> str:
        """The heading under which a task is listed: its template."""
        return task_id.partition(":")[0] if ":" in task_id else ""

    def is_solved(self, row: Row) -> bool:
        """Whether an attempt solves its task."""
        return bool(row["status"] >= SOLVED_STATUS)

    def outcome(self, row: Row) -> str:
        """The outcome of an attempt in words."""
        return "solved" if self.is_solved(row) else "not solved"

    def play_address(self, header: RunHeader, task_id: str) -> str:
        """The page on which people attempt the task; empty if it has none."""
        return ""

    def scene(self, header: RunHeader, task_id: str) -> Any:
        """A task as JSON for the script."""
        raise WebError(404, "attempts of this benchmark can't be replayed")

    async def replay(self, physics: PhysicsQueue, header: RunHeader, task_id: str, row: Row) -> Replayed:
        """Makes an attempt of a log again, by the function that agents' attempts are made with."""
        raise WebError(404, "attempts of this benchmark can't be replayed")

    def details(self, header: RunHeader, task_id: str, rows: Sequence[Row]) -> tuple[list[Any], str]:
        """What is known of each attempt beyond its outcome, and a remark about all of them.

        Of an attempt: {"text": …, "parts": [{"text", "given", "right", "is_right"}, …]}. Empty for nothing more.
        """
        return [], ""
