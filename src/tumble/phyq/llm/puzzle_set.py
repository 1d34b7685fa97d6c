"""Phy-Q's tasks as puzzles for language models, and how their answers are read as shots."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from tumble.llm.puzzle import AnswerError, Message, Outcome, Part, Picture, Puzzle, PuzzleSet
from tumble.llm.zoom import box_schema, read_box
from tumble.phyq.catalogue.physics import STRETCH_LIMIT
from tumble.phyq.catalogue.tasks import Task, cached_task
from tumble.phyq.evaluation.metrics import SCORED_SCENARIOS, by_scenario, by_template, people_rate, phy_q
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.generation.solutions import solution
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
from tumble.phyq.simulation.shots import LONGEST_WAIT, SHORTEST_PULL, Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.runs.log import Row

EXAMPLE = '{"angle": 42.5, "power": 1, "tap": null}'
_MILLISECONDS = 1000.0


def answer_schema(birds: int) -> dict[str, Any]:
    """The JSON schema of an answer, for a level with a number of birds."""
    fields: dict[str, Any] = {
        "angle": {"type": "number", "minimum": -180, "maximum": 180},
        "power": {"type": "number", "minimum": SHORTEST_PULL, "maximum": STRETCH_LIMIT},
        "tap": {"type": ["number", "null"], "minimum": 0, "maximum": LONGEST_WAIT},
    }
    if birds > 1:
        delay = {"type": ["number", "null"], "minimum": 0, "maximum": LONGEST_WAIT}
        following = _object_schema({**fields, "delay": delay}, ["angle", "power"])
        fields["then"] = {"type": "array", "items": following, "maxItems": birds - 1}
    return _object_schema(fields, ["angle", "power"])


def _object_schema(fields: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": required, "additionalProperties": False}


def read_shots(answer: Mapping[str, Any], birds_left: int, first_of_attempt: bool) -> tuple[Shot, ...]:
    """The shots of an answer; raises an AnswerError that says what would be right.

    >>> read_shots({"angle": 30, "power": 0.9, "tap": 1.5}, 1, True)
    (Shot(angle=30.0, stretch=0.9, tap_ms=1500.0, tap_share=None, delay=None),)
    """
    shots = [_shot(answer, "")]
    if shots[0].delay == 0.0 or (shots[0].delay is not None and not first_of_attempt):
        if shots[0].delay:
            raise AnswerError(
                "everything is at rest now, so that this shot can't have a delay; to shoot while things move, give "
                'both shots in one answer, the second in "then" with its "delay"'
            )
        shots[0] = Shot(shots[0].angle, shots[0].stretch, tap_ms=shots[0].tap_ms)
    following = answer.get("then")
    if following is not None:
        if not isinstance(following, Sequence) or isinstance(following, str):
            raise AnswerError('"then" must be a list of further shots, or left out')
        if len(following) + 1 > birds_left:
            raise AnswerError(f"{len(following) + 1} shots, but {_birds_are(birds_left)} left")
        for number, one in enumerate(following, 1):
            if not isinstance(one, Mapping):
                raise AnswerError(f'shot {number} of "then" must be an object, as in {EXAMPLE}')
            shots.append(_shot(one, f' of shot {number} of "then"'))
    return tuple(shots)


def _birds_are(count: int) -> str:
    return "1 bird is" if count == 1 else f"{count} birds are"


def _shot(answer: Mapping[str, Any], where: str) -> Shot:
    if answer.get("angle") is None:
        raise AnswerError(f'there is no "angle"{where}; answer as in {EXAMPLE}')
    angle = _number(answer, "angle", where, -180.0, 180.0)
    power = _number(answer, "power", where, SHORTEST_PULL, STRETCH_LIMIT, "1")
    tap = _number(answer, "tap", where, 0.0, LONGEST_WAIT, "null")
    delay = _number(answer, "delay", where, 0.0, LONGEST_WAIT, "null")
    assert angle is not None
    tap_ms = None if tap is None else round(_MILLISECONDS * tap, 3)
    return Shot(angle, 1.0 if power is None else power, tap_ms=tap_ms, delay=delay)


def _number(
    answer: Mapping[str, Any], name: str, where: str, low: float, high: float, default: str = ""
) -> float | None:
    """A number of an answer; None where it is left out or null."""
    value = answer.get(name)
    if value is None:
        return None
    right = f'"{name}"{where} must be a number from {low:g} to {high:g}' + (
        f", or {default}" if default == "null" else ""
    )
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise AnswerError(f"{right}, not {_short_value(value)}")
    if not low <= value <= high:  # false for NaN too
        raise AnswerError(f"{right}, not {_short_value(value)}")
    return float(value)


def _short_value(value: object) -> str:
    """A value in a few characters."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**12:
        return "a huge number"
    if isinstance(value, float) and not math.isfinite(value):
        return "an infinite number"
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    text = {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def solution_answers(task_id: str) -> list[str]:
    """The answers, one after the other, that win a task of the benchmark at the first attempt.

    >>> solution_answers("2.1:000")[0].startswith('{"angle":')
    True
    >>> len(solution_answers("14.1:000"))
    1
    """
    answers: list[dict[str, Any]] = []
    for shot in solution(task_id).shots:
        if shot.delay is not None and answers:
            answers[-1].setdefault("then", []).append({**answer_of(shot), "delay": shot.delay})
        else:
            answers.append(answer_of(shot))
    return [json.dumps(answer) for answer in answers]


def answer_of(shot: Shot) -> dict[str, Any]:
    """A shot as an answer, without its delay."""
    tap = None if shot.tap_ms is None else shot.tap_ms / 1000.0
    return {"angle": shot.angle, "power": shot.stretch, "tap": tap}


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
