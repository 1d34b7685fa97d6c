"""A task of Phy-Q as a puzzle: attempts are episodes, and an answer is a shot."""

from collections.abc import Mapping
from typing import Any

from tumble.llm.prompt import Message, Part, Picture
from tumble.llm.puzzle import Outcome, Puzzle
from tumble.llm.zoom import box_schema, read_box
from tumble.phyq.llm import feedback
from tumble.phyq.llm.answer import read_shots, schema
from tumble.phyq.llm.frame_strip import shot_strip
from tumble.phyq.llm.prompts import level_parts, opening
from tumble.phyq.llm.records import record_of
from tumble.phyq.llm.scene_part import SMALLEST_SIDE, WORLD, scene_part
from tumble.phyq.llm.settings import Settings
from tumble.phyq.llm.shot_report import shot_reports
from tumble.phyq.observation.view import View, start
from tumble.phyq.simulation.attempt import Attempt, attempt_of, empty_attempt
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.task import Task

KEPT = ("trajectory", "events", "states")


class PhyqPuzzle(Puzzle):
    """One task; its level is played from the start after each answer, with all shots of the attempt."""

    look_description = "Shows a part of the level as it is now, enlarged: a rectangle by its sides, in units, y up."
    look_schema = box_schema(WORLD)

    def __init__(self, task: Task, settings: Settings) -> None:
        self.id, self.template = task.id, task.template
        self.attempts = settings.attempts
        self.schema: Mapping[str, Any] = schema(len(task.level.birds))
        self._level, self._settings = task.level, settings
        self._simulator: Simulator | None = None
        self._current = empty_attempt(task.level)
        self._finished = 0
        self._solved = False

    def opening(self) -> tuple[Message, ...]:
        return opening(self._settings, self._level)

    def read(self, answer: Mapping[str, Any]) -> tuple[Shot, ...]:
        return read_shots(answer, self._birds_left, not self._current.shots)

    def attempt(self, action: tuple[Shot, ...]) -> Outcome:
        """Makes the shots of an answer, after those of the attempt so far."""
        before = len(self._current.shots)
        made = self._play((*self._current.shots, *action))
        told = self._shots_told(made, before)
        self._current = made
        number = self._finished + 1
        record = record_of(number, made)
        if made.status == "open":
            ask = feedback.next_text(self._birds_left, made.pigs_left)
            parts = (*told, *level_parts(self._settings, self._level, made.end, len(made.shots)), ask)
            return Outcome("open", counts=False, feedback=parts, record=record)
        self._finish(made.won)
        parts = (*told, feedback.end_text(made, number, self.attempts), *self._restart())
        return Outcome("solved" if made.won else "not solved", True, made.won, parts, record)

    def imagine(self, action: tuple[Shot, ...]) -> Outcome:
        """Plays the shots of an answer, after those of the attempt so far."""
        made = self._play((*self._current.shots, *action))
        parts = (*self._shots_told(made, len(self._current.shots)), feedback.simulated_text(made, self._level))
        if made.status == "open":
            parts = (*parts, *level_parts(self._settings, self._level, made.end, len(made.shots)))
            return Outcome("open", counts=False, feedback=parts)
        return Outcome("solved" if made.won else "not solved", False, made.won, parts)

    def look(self, wanted: Mapping[str, Any]) -> tuple[Part, ...]:
        return (scene_part(self._level, self._view, read_box(wanted, WORLD, SMALLEST_SIDE)),)

    def skip(self) -> Outcome:
        """Ends the attempt with the shots that were made."""
        number, made = self._finished + 1, self._current
        self._finish(won=False)
        parts = (feedback.unread_text(number, self.attempts), *self._restart())
        return Outcome("invalid", True, feedback=parts, record=record_of(number, made, read=False))

    @property
    def over(self) -> bool:
        return self._solved or self._finished >= self.attempts

    @property
    def _birds_left(self) -> int:
        return len(self._level.birds) - len(self._current.shots)

    @property
    def _view(self) -> View:
        """What is seen before the next answer."""
        return self._current.end if self._current.shots else start(self._level)

    def _play(self, shots: tuple[Shot, ...]) -> Attempt:
        if self._simulator is None:
            self._simulator = Simulator([self._level], threads=1)
        episodes = self._simulator.play([0], [shots], KEPT, stride=1)
        return attempt_of(episodes, 0, shots, keep=True)

    def _shots_told(self, made: Attempt, first: int) -> tuple[Part, ...]:
        """What the shots of an answer did, in words and, in modes with pictures, as strips of frames."""
        assert made.episodes is not None
        reports = shot_reports(made.episodes, made.row, first)
        text = feedback.shots_text(reports, made.shots, self._level)
        if not self._settings.shows_pictures:
            return (text,)
        strips = (
            Picture(shot_strip(self._level, made.motion, report, self._settings.picture_width), _caption(report.number))
            for report in reports
        )
        return text, *strips

    def _finish(self, won: bool) -> None:
        self._finished += 1
        self._solved = won
        self._current = empty_attempt(self._level)

    def _restart(self) -> tuple[Part, ...]:
        return () if self.over else (feedback.restart_text(self._finished + 1, self.attempts),)


def _caption(number: int) -> str:
    return f"Shot {number + 1} in frames, with seconds after the launch; grid lines every 5 units"
