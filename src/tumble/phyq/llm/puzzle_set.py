"""Phy-Q's tasks as puzzles: attempts are episodes, and an answer is a shot; with records and scores.

>>> found = puzzles({"setting": "broad", "only": ["6"], "limit": 3})
>>> list(found.ids)
['6.4:080', '6.5:080', '6.6:080']

Records of attempts are what an outcome keeps as JSON values; they make the rows of a run log. Scores are pass rates
by scenario and their mean, the Phy-Q score, and tasks solved within some attempts.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tumble.llm.puzzle import Message, Outcome, Part, Picture, Puzzle, PuzzleSet
from tumble.llm.zoom import box_schema, read_box
from tumble.phyq.catalogue.tasks import Task, cached_task
from tumble.phyq.evaluation.metrics import SCORED_SCENARIOS, by_scenario, by_template, people_rate, phy_q
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.llm.answer import answer_schema, read_shots
from tumble.phyq.llm.pictures import SMALLEST_SIDE, VISIBLE_BOX, scene_part, shot_strip
from tumble.phyq.llm.prompts import (
    PROMPT_VERSION,
    end_text,
    level_parts,
    next_text,
    opening_messages,
    restart_text,
    shots_text,
    simulated_text,
    unread_text,
)
from tumble.phyq.llm.settings import Settings, settings_of
from tumble.phyq.llm.shot_report import shot_reports
from tumble.phyq.observation.view import View, start
from tumble.phyq.simulation.attempt import GAVE_UP, WON, Attempt, attempt_of, empty_attempt, row_of
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.runs.log import Row

Record = Mapping[str, Any]
ROW_FIELDS = ("attempt", "action", "status", "steps")


def record_of(number: int, attempt: Attempt, read: bool = True) -> dict[str, Any]:
    """An attempt as far as it was made: the fields of a row of a run log, and what scores and tables show besides.

    `read` says whether the answer could be read; if not, the attempt ended with it.
    """
    more = {"pigs_left": attempt.pigs_left, "kills": list(attempt.kills), "shots": len(attempt.shots), "read": read}
    return {**row_of(number, attempt), **more}


def is_won(record: Record) -> bool:
    """Whether an attempt won its level."""
    return bool(record["status"] == WON)


def run_log_rows(records: Sequence[Record], attempts: int) -> list[Row]:
    """The rows of a run log for a task, from the records of the attempts that counted.

    A run log has all attempts at a task. A model stops at its first win: it would make the same shots again, which win
    again. Attempts that were never made, as after an error of the provider, are episodes without a shot.
    """
    rows: list[Row] = [{name: record[name] for name in ROW_FIELDS} for record in records]
    last = rows[-1] if rows and is_won(rows[-1]) else {"action": [], "status": GAVE_UP, "steps": 0}
    return [*rows, *({**last, "attempt": number} for number in range(len(rows) + 1, attempts + 1))]


KEPT_OF_EPISODES = ("trajectory", "events", "states")


class PhyqPuzzle(Puzzle):
    """One task; its level is played from the start after each answer, with all shots of the attempt."""

    look_description = "Shows a part of the level as it is now, enlarged: a rectangle by its sides, in units, y up."
    look_schema = box_schema(VISIBLE_BOX)

    def __init__(self, task: Task, settings: Settings) -> None:
        self.id, self.template = task.id, task.template
        self.attempts = settings.attempts
        self.schema: Mapping[str, Any] = answer_schema(len(task.level.birds))
        self._level, self._settings = task.level, settings
        self._simulator: Simulator | None = None
        self._current = empty_attempt(task.level)
        self._finished = 0
        self._solved = False

    def opening(self) -> tuple[Message, ...]:
        return opening_messages(self._settings, self._level)

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
            ask = next_text(self._birds_left, made.pigs_left)
            parts = (*told, *level_parts(self._settings, self._level, made.end, len(made.shots)), ask)
            return Outcome("open", counts=False, feedback=parts, record=record)
        self._finish(made.won)
        parts = (*told, end_text(made, number, self.attempts), *self._restart())
        return Outcome("solved" if made.won else "not solved", True, made.won, parts, record)

    def imagine(self, action: tuple[Shot, ...]) -> Outcome:
        """Plays the shots of an answer, after those of the attempt so far."""
        made = self._play((*self._current.shots, *action))
        parts = (*self._shots_told(made, len(self._current.shots)), simulated_text(made, self._level))
        if made.status == "open":
            parts = (*parts, *level_parts(self._settings, self._level, made.end, len(made.shots)))
            return Outcome("open", counts=False, feedback=parts)
        return Outcome("solved" if made.won else "not solved", False, made.won, parts)

    def look(self, wanted: Mapping[str, Any]) -> tuple[Part, ...]:
        return (scene_part(self._level, self._view, read_box(wanted, VISIBLE_BOX, SMALLEST_SIDE)),)

    def skip(self) -> Outcome:
        """Ends the attempt with the shots that were made."""
        number, made = self._finished + 1, self._current
        self._finish(won=False)
        parts = (unread_text(number, self.attempts), *self._restart())
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
        episodes = self._simulator.play([0], [shots], KEPT_OF_EPISODES, stride=1)
        return attempt_of(episodes, 0, shots, keep=True)

    def _shots_told(self, made: Attempt, first: int) -> tuple[Part, ...]:
        """What the shots of an answer did, in words and, in modes with pictures, as strips of frames."""
        assert made.episodes is not None
        reports = shot_reports(made.episodes, made.row, first)
        text = shots_text(reports, made.shots, self._level)
        if not self._settings.shows_pictures:
            return (text,)
        strips = (
            Picture(
                shot_strip(self._level, made.motion, report, self._settings.picture_width),
                _strip_caption(report.number),
            )
            for report in reports
        )
        return text, *strips

    def _finish(self, won: bool) -> None:
        self._finished += 1
        self._solved = won
        self._current = empty_attempt(self._level)

    def _restart(self) -> tuple[Part, ...]:
        return () if self.over else (restart_text(self._finished + 1, self.attempts),)


def _strip_caption(number: int) -> str:
    return f"Shot {number + 1} in frames, with seconds after the launch; grid lines every 5 units"


def scores_of(records: Mapping[str, Sequence[Record]], attempts: int) -> dict[str, float]:
    """Scores by name, from the records of the attempts that counted, by task.

    `pass_rate` and `phy_q` rate a task as for people, who stop at their first win too: 1 for a win at the first
    attempt, 0.8 at the second of five, …, 0 without a win. This is higher than the share of attempts that pass, which
    is the rate of agents: what compares with them is the first attempt alone. Rates are means of templates in
    scenarios, then of scenarios; a Phy-Q score needs tasks of all scored scenarios.
    """
    if not records:
        return {}
    passed = {task_id: padded_passes([is_won(one) for one in own], attempts) for task_id, own in records.items()}
    scenarios = by_scenario(by_template({task_id: people_rate(own) for task_id, own in passed.items()}))
    first = by_scenario(by_template({task_id: float(own[0]) for task_id, own in passed.items()}))
    found = {"pass_rate": _mean_rate(scenarios), "first_attempt_rate": _mean_rate(first)}
    if set(SCORED_SCENARIOS) <= scenarios.keys():
        found |= {"phy_q": phy_q(scenarios), "phy_q_first_attempt": phy_q(first)}
    for count in range(1, attempts + 1):
        found[f"solved_within_{count}"] = sum(any(own[:count]) for own in passed.values()) / len(passed)
    return found | {f"pass_rate_scenario_{number:02d}": scenarios[number] for number in sorted(scenarios)}


def _mean_rate(rates: Mapping[int, float]) -> float:
    return sum(rates.values()) / len(rates)


def padded_passes(passed: Sequence[bool], attempts: int) -> list[bool]:
    """Whether each of all attempts passed; those after a win, or never made, count as not."""
    return [*passed, *[False] * (attempts - len(passed))]


MODEL_AGENT = "llm"
"""The agent of run specifications that stands for a language model."""


class PhyqPuzzles(PuzzleSet):
    """The tasks of a selection."""

    prompt_version = PROMPT_VERSION
    tools = ("simulate", "look")

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.ids: Sequence[str] = settings.task_ids()

    def puzzle(self, task_id: str) -> PhyqPuzzle:
        return PhyqPuzzle(cached_task(task_id), self.settings)

    def template(self, task_id: str) -> str:
        return task_id.partition(":")[0]

    def scores(self, records: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, float]:
        return scores_of(records, self.settings.attempts)

    def spec(self, model: str, settings: Mapping[str, Any]) -> PhyQRunSpec:
        """The run specification of a model's attempts at these tasks; `settings` are further ones of the model."""
        chosen = self.settings
        setting = "tasks" if chosen.ids else chosen.setting
        only = tuple(self.ids) if chosen.ids or chosen.limit else chosen.only
        options = {"options": text} if (text := chosen.options) else {}
        own = {"model": model, "mode": chosen.mode, "prompts": self.prompt_version, **options, **settings}
        return PhyQRunSpec(MODEL_AGENT, setting, only, chosen.attempts, settings=own)

    def rows(self, records: Sequence[Mapping[str, Any]]) -> list[Row]:
        """The rows of a run log for a task, from the records of the attempts that counted, in their order."""
        return run_log_rows(records, self.settings.attempts)


def puzzles(selection: Mapping[str, Any]) -> PhyqPuzzles:
    """The puzzles of a selection (see `Settings`)."""
    return PhyqPuzzles(settings_of(selection))
