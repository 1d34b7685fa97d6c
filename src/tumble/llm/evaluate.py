"""A language model attempts the tasks of a run: dialogues in parallel, written to the run log task by task.

Models are asked through inspect_ai's providers, and with its cache; that needs the extra `llm`. What a model has
answered in a dialogue that was not finished is in the cache, so that a run that was killed asks nothing twice.
"""

import asyncio
import os
import re
import threading
from collections import Counter
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice
from threading import Event, Lock
from typing import Any, TypeVar

from tumble.errors import TumbleError
from tumble.llm.dialogue import Dialogue, Turn
from tumble.llm.puzzle import Message, Puzzle, PuzzleError, PuzzleSet, encodable_text
from tumble.runs.evaluate import ProgressCallback, TaskCounter
from tumble.runs.log import Log, TaskUpdate
from tumble.runs.participant import LanguageModel
from tumble.runs.spec import RunSpec

T = TypeVar("T")

MAX_RETRIES = 5
"""After a rate limit or a failure of the network; the waiting doubles from 3 seconds on."""


class ChatError(TumbleError):
    """A model that can't be asked."""


@dataclass(frozen=True)
class ChatAnswer:
    """What a model said."""

    text: str
    refused: bool
    """Whether the provider marked it as a refusal."""
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True)
class Chat:
    """A model that is asked, one request at a time."""

    model: str
    """As inspect_ai names models: PROVIDER/NAME."""
    temperature: float | None = None
    """None for the provider's default, as in all of these."""
    top_p: float | None = None
    seed: int | None = None
    """For providers that take one."""
    max_tokens: int | None = None
    """Of an answer."""
    reasoning_effort: str | None = None
    base_url: str | None = None
    use_cache: bool = True
    """Whether what was answered before to the same messages is not asked again."""
    scope: str = ""
    """Answers are only shared in the cache within one, such as the seed of a run."""

    def ask(self, messages: Sequence[Message], schema: Mapping[str, Any] | None = None) -> ChatAnswer:
        """The model's answer to messages; a schema is that of the JSON object expected."""
        try:
            from inspect_ai.model import CachePolicy, GenerateConfig, get_model

            from tumble.llm.chat_messages import chat_message, response_schema
        except ImportError as error:
            raise ChatError(
                f"language models need {error.name}, which is not installed; install it with: pip install 'tumble[llm]'"
            ) from None

        async def request() -> Any:
            config = GenerateConfig(
                temperature=self.temperature,
                top_p=self.top_p,
                seed=self.seed,
                max_tokens=self.max_tokens,
                reasoning_effort=self.reasoning_effort,  # type: ignore[arg-type]
                max_retries=MAX_RETRIES,
                response_schema=response_schema(schema) if schema else None,
            )
            policy = CachePolicy(expiry=None, per_epoch=False, scopes={"scope": self.scope})
            model = get_model(self.model, config=config, base_url=self.base_url)
            return await model.generate(
                [chat_message(message) for message in messages], cache=policy if self.use_cache else False
            )

        try:
            output = _event_loop(os.getpid()).run(request())
        except Exception as error:  # of whatever provider
            raise ChatError(f"the model {self.model!r} can't be asked: {_chat_problem(error)}") from error
        return ChatAnswer(
            encodable_text(output.completion if output.choices else ""),
            bool(output.choices) and output.stop_reason == "content_filter",
            output.usage.input_tokens if output.usage else 0,
            output.usage.output_tokens if output.usage else 0,
        )

    def lead(self, puzzle: Puzzle, schema: bool = False) -> Dialogue:
        """Has the model attempt a puzzle to its end."""
        dialogue = Dialogue(puzzle)
        while not dialogue.over:
            answer = self.ask(dialogue.messages, puzzle.schema if schema else None)
            dialogue.reply(answer.text, answer.refused)
        return dialogue


def _chat_problem(error: BaseException) -> str:
    """What a provider says, in one line, also where it is wrapped in an error about retries."""
    while isinstance(getattr(error, "last_attempt", None), Future) and (inner := error.last_attempt.exception()):  # type: ignore[attr-defined]
        error = inner
    text = str(getattr(error, "message", "") or error) or type(error).__name__
    return " ".join(re.sub(r"\[/?(bold|italic|red|yellow|blue|link)[^\]]*\]", "", text).split())


class _EventLoop:
    """An event loop in a thread of its own: clients of providers belong to the loop in which they were made."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="chat", daemon=True).start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


@cache
def _event_loop(process: int) -> _EventLoop:
    """The loop of a process: its thread is not there in a process that was forked."""
    return _EventLoop()


S = TypeVar("S", bound=RunSpec)

DIALOGUES = 10
"""Tasks that are attempted in parallel; inspect_ai has as many connections by default."""
ADDED_SETTINGS = ("model", "mode", "prompts", "options")
"""Settings that a set of puzzles adds to a run specification."""
_PHYSICS = Lock()
"""Physics and drawing use all cores by themselves."""


def complete_spec(spec: S, puzzles: PuzzleSet) -> S:
    """A run specification of a model with all that its prompts depend on; the puzzles are those of its tasks."""
    given = spec.settings
    version = given.get("prompts", puzzles.prompt_version)
    if version != puzzles.prompt_version:
        raise PuzzleError(f"the run is with prompts {version}; the current ones are {puzzles.prompt_version}")
    further = {name: value for name, value in given.items() if name not in ADDED_SETTINGS}
    return replace(spec, settings=puzzles.spec(given["model"], further).settings)


def attempt_puzzles(puzzles: PuzzleSet, spec: RunSpec, log: Log, progress: ProgressCallback) -> None:
    """Has a model attempt the tasks that are not yet in a log.

    If the model can't be asked, the dialogues that are under way stop after their next answer, which is in the cache.
    """
    tasks = spec.task_ids()
    counter = TaskCounter(progress, len(tasks))
    counter.add(sum(task in log.tasks for task in tasks))
    missing = ((index, task) for index, task in enumerate(tasks) if task not in log.tasks)
    schema, chat = model_of(spec).schema, chat_of(spec)
    with _dialogue_threads() as (pool, stop):
        running: dict[Future[_AttemptedTask], tuple[int, str]] = {}
        while True:
            for index, task in islice(missing, DIALOGUES - len(running)):
                ids = puzzles.puzzle_ids(task)
                running[pool.submit(_attempt_task, puzzles, ids, chat, schema, stop)] = index, task
            if not running:
                return
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                index, task = running.pop(done)
                made = done.result()
                rows = puzzles.task_rows(made.records)[task]
                log.append([TaskUpdate(task, rows, index, True, counts=made.counts)])
                counter.add()


def model_of(spec: RunSpec) -> LanguageModel:
    """The description of the model of a run specification."""
    model = spec.make_participant()
    assert isinstance(model, LanguageModel)
    return model


def chat_of(spec: RunSpec) -> Chat:
    """The model of a run specification; answers are shared in the cache by runs with the same seed."""
    model = model_of(spec)
    return Chat(
        model.model,
        temperature=model.temperature,
        top_p=model.top_p,
        seed=model.seed,
        max_tokens=model.max_tokens,
        reasoning_effort=model.reasoning_effort,
        base_url=model.base_url,
        use_cache=model.cache,
        scope=f"{spec.benchmark} seed {spec.seed}",
    )


@dataclass
class _AttemptedTask:
    """All attempts at a task."""

    records: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    """Of attempts that counted, by puzzle."""
    usage: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        return {"usage": dict(self.usage), "answers": dict(self.answers)}


def _attempt_task(puzzles: PuzzleSet, ids: Sequence[str], chat: Chat, schema: bool, stop: Event) -> _AttemptedTask:
    """Runs the dialogues about the puzzles of a task, one after the other."""
    made = _AttemptedTask()
    for puzzle_id in ids:
        turns = _lead_dialogue(puzzles, puzzle_id, chat, schema, stop, made.usage)
        made.records[puzzle_id] = [turn.record for turn in turns if turn.counts]
        made.answers.update(turn.kind for turn in turns)
    return made


def _lead_dialogue(
    puzzles: PuzzleSet, puzzle_id: str, chat: Chat, schema: bool, stop: Event, usage: Counter[str]
) -> Sequence[Turn]:
    own_chat = replace(chat, scope=f"{chat.scope} {puzzle_id}")
    with _PHYSICS:
        dialogue = Dialogue(puzzles.puzzle(puzzle_id))
    while not dialogue.over:
        if stop.is_set():
            raise PuzzleError("the run was stopped")
        answer = own_chat.ask(dialogue.messages, dialogue.puzzle.schema if schema else None)
        usage.update(requests=1, input_tokens=answer.input_tokens, output_tokens=answer.output_tokens)
        with _PHYSICS:
            dialogue.reply(answer.text, answer.refused)
    return dialogue.turns


@contextmanager
def _dialogue_threads() -> Iterator[tuple[ThreadPoolExecutor, Event]]:
    """Threads for dialogues, and an event that stops them, which is set at the end."""
    stop, pool = Event(), ThreadPoolExecutor(DIALOGUES, thread_name_prefix="dialogue")
    try:
        yield pool, stop
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
