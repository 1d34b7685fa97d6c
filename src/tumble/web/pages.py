"""What a benchmark brings to have pages: `Benchmark.pages()` returns an instance of `WebPages`."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from fastapi import APIRouter

from tumble.web.options import Limits
from tumble.web.physics_queue import PhysicsQueue

if TYPE_CHECKING:
    from tumble.web.study.pages import StudyPages


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
