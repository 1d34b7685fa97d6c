"""The questions of a dataset's split as puzzles with one attempt each, and their scores."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from tumble.comphy.catalogue.task import Given, Question, QuestionSet, task_id
from tumble.comphy.catalogue.task import task_id as set_id
from tumble.comphy.catalogue.world import PLAIN, ObjectWorld
from tumble.comphy.evaluation.answer_key import cached_key, observe_set, world_of_data
from tumble.comphy.evaluation.metrics import Mark, by_kind, mark, mark_all, tally
from tumble.comphy.evaluation.result import mark_of, rows_of
from tumble.comphy.evaluation.run_spec import ComPhyRunSpec
from tumble.comphy.llm.prompts import (
    PROMPT_VERSION,
    answer_schema,
    pictures_text,
    question_text,
    read_answer,
    system_text,
    tracks_text,
)
from tumble.comphy.llm.settings import VIDEOS, PuzzleSettings, PuzzleSettingsError, read_settings
from tumble.comphy.llm.videos import (
    LOOK_DESCRIPTION,
    LOOK_SCHEMA,
    contact_sheets,
    frame_part,
    sampled_videos,
    stored_videos,
    track_tables,
)
from tumble.comphy.questions.program import Answer
from tumble.llm.puzzle import Message, Outcome, Part, Picture, Puzzle, PuzzleError, PuzzleSet, options_text
from tumble.runs.log import Row
from tumble.runs.spec import spread_over_groups


def puzzle_id(index: int, question: int) -> str:
    """The id of a question about a set, as in 00042/3."""
    return f"{task_id(index)}/{question}"


class ComphyPuzzle(Puzzle):
    """A question with its true answer, by which the model's is marked; the prompt does not contain it."""

    attempts = 1
    look_description = LOOK_DESCRIPTION
    look_schema = LOOK_SCHEMA

    def __init__(
        self,
        index: int,
        question: Question,
        shown: Callable[[], tuple[Part, ...]],
        look: Callable[[Mapping[str, Any]], Picture],
        given: Given,
        world: ObjectWorld = PLAIN,
    ) -> None:
        self.id, self.template = puzzle_id(index, question.id), question.family
        self.schema, self._world = answer_schema(question, world), world
        self._index, self._question, self._shown, self._look, self._given = index, question, shown, look, given
        self._over = False

    def opening(self) -> tuple[Message, ...]:
        parts = (*self._shown(), question_text(self._question, self._world))
        return Message("system", (system_text(self._world),)), Message("user", parts)

    def read(self, answer: Mapping[str, Any]) -> Answer:
        return read_answer(self._question, answer, self._world)

    def attempt(self, action: Answer) -> Outcome:
        return self._outcome({self._question.id: action})

    def look(self, wanted: Mapping[str, Any]) -> tuple[Part, ...]:
        return (self._look(wanted),)

    def skip(self) -> Outcome:
        return self._outcome({})

    def _outcome(self, answers: Mapping[int, Answer]) -> Outcome:
        """An answer's outcome; its record is the row of a run log, with the set."""
        self._over = True
        marks = mark(QuestionSet(self._index, (self._question,)), answers)
        right = marks[0].all_correct
        record = {"task": task_id(self._index), **rows_of(marks, "", self._given)[0]}
        return Outcome("right" if right else "wrong", counts=True, solved=right, record=record)

    @property
    def over(self) -> bool:
        return self._over


MODEL_AGENT = "llm"
"""The agent of run specifications that stands for a language model."""
MOST_SETS_KEPT = 128
"""Sets whose tables and pictures (0.2 MB each) are kept, since several questions are asked about each."""


class ComphyPuzzles(PuzzleSet):
    """Questions whose answers are known; an error if those of the split are withheld."""

    prompt_version = PROMPT_VERSION
    tools = ("look",)

    def __init__(self, settings: PuzzleSettings) -> None:
        self.settings = settings
        key = cached_key(settings.data, settings.split)
        sets = spread_over_groups(key.sets, settings.sets, lambda questions: key.families[questions.index])
        mark_all(sets, {})
        self._sets = {set_id(questions.index): questions for questions in sets}
        self._questions = {  # by their ids
            puzzle_id(index, question.id): (index, question) for index, question in _limited(sets, settings.limit)
        }
        self.ids = tuple(self._questions)

    def puzzle(self, task_id: str) -> ComphyPuzzle:
        index, question = self._find(task_id)
        shown, look = partial(shown_parts, self.settings, index), partial(frame_part, Path(self.settings.data), index)
        return ComphyPuzzle(index, question, shown, look, self.settings.given, world_of_data(self.settings.data))

    def template(self, task_id: str) -> str:
        """The template of a question."""
        return self._find(task_id)[1].family

    def cluster(self, task_id: str) -> str:
        """The set that a question is about."""
        return set_id(self._find(task_id)[0])

    def scores(self, records: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, float]:
        """Accuracies in per cent by kind, and how many questions were not answered and answered with "error".

        A question without a record counts as not answered; kinds of which no question was asked have no score.
        """
        marks = [self._mark(task_id, own[-1] if own else None) for task_id, own in records.items()]
        scores: dict[str, float] = {}
        for kind, counts in by_kind(marks).items():
            if kind == "factual":
                scores[kind] = counts.per_question
            else:
                scores[f"{kind}_per_option"] = counts.per_option
                scores[f"{kind}_per_question"] = counts.per_question
        total = tally(marks)
        return {**scores, "unanswered": float(total.unanswered), "errors": float(total.errors)}

    def spec(self, model: str, settings: Mapping[str, Any]) -> ComPhyRunSpec:
        """The run specification of a model's answers to these questions; `settings` are further ones of the model."""
        chosen = self.settings
        questions = sum(len(of_set.questions) for of_set in self._sets.values())
        if len(self.ids) < questions:
            raise PuzzleError(
                f"answers to {len(self.ids)} of the {questions} questions about {len(self._sets)} sets can't be "
                "written as a run log, which has all questions about a set: select a number of sets in place of a limit"
            )
        shown = stored_videos(Path(chosen.data)) if chosen.has_pictures else ""
        text = ", ".join(filter(None, [chosen.options, shown and options_text({VIDEOS: shown})]))
        options = {"options": text} if text else {}
        own = {"model": model, "mode": chosen.mode, "prompts": self.prompt_version, **options, **settings}
        return ComPhyRunSpec(MODEL_AGENT, chosen.data, chosen.split, limit=chosen.sets, settings=own)

    def puzzle_ids(self, task_id: str) -> Sequence[str]:
        """The questions about a set."""
        questions = self._sets[task_id]
        return [puzzle_id(questions.index, question.id) for question in questions.questions]

    def task_rows(self, records: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, list[Row]]:
        """The rows of a run log by set, from the records by question; sets not all of whose questions were asked are
        left out."""
        found: dict[str, list[Row]] = {}
        for name in self._sets:
            ids = self.puzzle_ids(name)
            if all(one in records for one in ids):
                marks = [self._mark(one, records[one][-1] if records[one] else None) for one in ids]
                found[name] = rows_of(marks, "", self.settings.given)
        return found

    def _mark(self, task_id: str, record: Mapping[str, Any] | None) -> Mark:
        index, question = self._find(task_id)
        if record is None:
            return mark(QuestionSet(index, (question,)), {})[0]
        return mark_of(record, f"question {task_id}")

    def _find(self, task_id: str) -> tuple[int, Question]:
        if task_id not in self._questions:
            first = f", the first is {self.ids[0]}" if self.ids else ""
            raise PuzzleSettingsError(f"there is no question {task_id!r}; there are {len(self.ids)}{first}")
        return self._questions[task_id]


def _limited(sets: Sequence[QuestionSet], limit: int | None) -> list[tuple[int, Question]]:
    """Sets and questions, at most a number of them, spread over kinds and within a kind over templates."""
    asked = [(of_set.index, question) for of_set in sets for question in of_set.questions]
    earlier: dict[str, int] = {}
    ranks = []
    for _, question in asked:
        ranks.append(earlier.get(question.family, 0))
        earlier[question.family] = ranks[-1] + 1
    by_rank = sorted(range(len(asked)), key=ranks.__getitem__)
    return [asked[k] for k in sorted(spread_over_groups(by_rank, limit, lambda k: asked[k][1].kind))]


@lru_cache(maxsize=MOST_SETS_KEPT)
def shown_parts(settings: PuzzleSettings, index: int) -> tuple[Part, ...]:
    """What a model is shown of a set: tables of tracks, contact sheets of frames, or both."""
    root = Path(settings.data)
    parts: list[Part] = []
    if settings.has_text:
        parts += [tracks_text(settings), track_tables(observe_set(root, index), settings.every)]
    if settings.has_pictures:
        videos = sampled_videos(root, index, settings.frames, settings.reference_frames, settings.size)
        parts += [pictures_text(), *contact_sheets(videos, settings.size)]
    return tuple(parts)


def puzzles(selection: Mapping[str, Any]) -> ComphyPuzzles:
    """The puzzles of a selection (`PuzzleSettings`)."""
    return ComphyPuzzles(read_settings(selection))
