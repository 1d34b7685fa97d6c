"""What a benchmark brings so that the attempts of its run logs can be watched: `Benchmark.replays()` returns this."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tumble.runs.header import RunHeader
from tumble.runs.log import Row
from tumble.web.errors import WebError
from tumble.web.physics_queue import PhysicsQueue

SOLVED = 1
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
    """The address of a JavaScript module with a class `Replay` that draws tasks and clips (docs/play.md); empty where
    attempts can't be replayed."""
    task_word: ClassVar[str] = "task"
    attempt_word: ClassVar[str] = "attempt"

    def group(self, task_id: str) -> str:
        """The heading under which a task is listed: its template."""
        return task_id.partition(":")[0] if ":" in task_id else ""

    def is_solved(self, row: Row) -> bool:
        """Whether an attempt solves its task."""
        return bool(row["status"] >= SOLVED)

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
