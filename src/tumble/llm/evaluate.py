"""A language model attempts the tasks of a run: dialogues in parallel, written to the run log task by task.

What a model has answered in a dialogue that was not finished is in the cache of inspect_ai, so that a run that was
killed asks nothing twice.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from threading import Event, Lock
from typing import Any, TypeVar

from tumble.llm.chat import Chat
from tumble.llm.dialogue import Dialogue, Turn
from tumble.llm.puzzle import PuzzleError, PuzzleSet
from tumble.runs.evaluate import TaskCounter
from tumble.runs.log import Log, TaskUpdate
from tumble.runs.run import ProgressCallback
from tumble.runs.run_spec import RunSpec

S = TypeVar("S", bound=RunSpec)

DIALOGUES = 10
"""Tasks that are attempted in parallel; inspect_ai has as many connections by default."""
ADDED = ("model", "mode", "prompts", "options")
"""Settings that a set of puzzles adds to a run specification."""
_PHYSICS = Lock()
"""Physics and drawing use all cores by themselves."""


def complete_spec(spec: S, puzzles: PuzzleSet) -> S:
    """A run specification of a model with all that its prompts depend on; the puzzles are those of its tasks."""
    given = spec.settings
    version = given.get("prompts", puzzles.prompt_version)
    if version != puzzles.prompt_version:
        raise PuzzleError(f"the run is with prompts {version}; the current ones are {puzzles.prompt_version}")
    further = {name: value for name, value in given.items() if name not in ADDED}
    return replace(spec, settings=puzzles.spec(given["model"], further).settings)


def attempt_puzzles(puzzles: PuzzleSet, spec: RunSpec, log: Log, progress: ProgressCallback) -> None:
    """Has a model attempt the tasks that are not yet in a log.

    If the model can't be asked, the dialogues that are under way stop after their next answer, which is in the cache.
    """
    tasks = spec.task_ids()
    counter = TaskCounter(progress, len(tasks))
    counter.add(sum(task in log.tasks for task in tasks))
    missing = ((index, task) for index, task in enumerate(tasks) if task not in log.tasks)
    agent, chat = spec.make_agent(), chat_of(spec)
    with _threads() as (pool, stop):
        running: dict[Future[_Attempted], tuple[int, str]] = {}
        while True:
            for index, task in islice(missing, DIALOGUES - len(running)):
                ids = puzzles.puzzle_ids(task)
                running[pool.submit(_attempt, puzzles, ids, chat, agent.schema, stop)] = index, task
            if not running:
                return
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                index, task = running.pop(done)
                made = done.result()
                rows = puzzles.task_rows(made.records)[task]
                log.append([TaskUpdate(task, rows, index, True, counts=made.counts)])
                counter.add()


def chat_of(spec: RunSpec) -> Chat:
    """The model of a run specification; answers are shared in the cache by runs with the same seed."""
    agent = spec.make_agent()
    return Chat(
        agent.model,
        temperature=agent.temperature,
        top_p=agent.top_p,
        seed=agent.seed,
        max_tokens=agent.max_tokens,
        reasoning_effort=agent.reasoning_effort,
        base_url=agent.base_url,
        use_cache=agent.cache,
        scope=f"{spec.benchmark} seed {spec.seed}",
    )


@dataclass
class _Attempted:
    """All attempts at a task."""

    records: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    """Of attempts that counted, by puzzle."""
    usage: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        return {"usage": dict(self.usage), "answers": dict(self.answers)}


def _attempt(puzzles: PuzzleSet, ids: Sequence[str], chat: Chat, schema: bool, stop: Event) -> _Attempted:
    """Runs the dialogues about the puzzles of a task, one after the other."""
    made = _Attempted()
    for puzzle_id in ids:
        turns = _lead(puzzles, puzzle_id, chat, schema, stop, made.usage)
        made.records[puzzle_id] = [turn.record for turn in turns if turn.counts]
        made.answers.update(turn.kind for turn in turns)
    return made


def _lead(
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
def _threads() -> Iterator[tuple[ThreadPoolExecutor, Event]]:
    """Threads for dialogues, and an event that stops them, which is set at the end."""
    stop, pool = Event(), ThreadPoolExecutor(DIALOGUES, thread_name_prefix="dialogue")
    try:
        yield pool, stop
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
