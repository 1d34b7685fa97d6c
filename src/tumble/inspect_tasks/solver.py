"""How a model attempts a sample: by the dialogue about the sample's puzzle, until that is over."""

from collections.abc import Callable, Mapping
from functools import partial
from threading import Lock
from typing import Any, TypeVar

from anyio import to_thread
from inspect_ai.model import CachePolicy, ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from tumble.inspect_tasks.samples import puzzle_of, tools_of
from tumble.inspect_tasks.tools import answers_to, calls_of, inspect_tools
from tumble.llm.chat_messages import chat_message, response_schema
from tumble.llm.dialogue import Dialogue
from tumble.llm.prompt import encodable

T = TypeVar("T")

TURNS = "turns"
"""In the store of a sample: the results of the model's answers, a list of `Turn.json()`."""
USAGE = "usage"
"""In the store of a sample: requests and tokens, including those of answers that came from the cache."""
TOOL_CALLS = "tool_calls"
"""In the store of a sample whose model has tools: how often it called each."""
_PHYSICS = Lock()


@solver
def converse(schema: bool = False, cache: bool = True) -> Solver:
    """Runs the dialogue about a puzzle.

    With `schema`, providers are told the JSON schema of answers. With `cache`, an answer that a model gave to the same
    messages in the same epoch is not asked for again, so that a stopped run, repeated, does not pay for it twice. Where
    the sample has tools, the model may call them before each answer, until no calls are left and it has to answer.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        dialogue = await _beside(lambda: Dialogue(puzzle_of(state.metadata), tools_of(state.metadata)))
        settings: dict[str, Any] = {}
        if schema:
            settings["response_schema"] = response_schema(dialogue.puzzle.schema)
        if cache:
            settings["cache"] = CachePolicy(expiry=None, scopes={"sample": str(state.sample_id)})
        state.messages = [chat_message(message) for message in dialogue.messages]
        state.store.set(TURNS, [])
        toolbox = dialogue.toolbox
        if toolbox is not None:
            state.tools = inspect_tools(toolbox)
            state.store.set(TOOL_CALLS, dict(toolbox.calls))
        while not dialogue.over:
            may_call = toolbox is not None and not toolbox.exhausted
            if toolbox is not None:
                state.tool_choice = "auto" if may_call else "none"
            state = await generate(state, tool_calls="none", **settings)
            _make_encodable(state.output)
            state.store.set(USAGE, _added_usage(state.store.get(USAGE, {}), state.output))
            calls = calls_of(state.output)
            if toolbox is not None and calls:
                state.messages += await _beside(partial(answers_to, toolbox, calls))
                state.store.set(TOOL_CALLS, dict(toolbox.calls))
            if not (may_call and calls):
                told = len(dialogue.messages) + 1
                await _beside(partial(_reply, dialogue, state.output))
                state.messages += [chat_message(message) for message in dialogue.messages[told:]]
                state.store.set(TURNS, [turn.json() for turn in dialogue.turns])
            if state.completed:  # a limit of tokens, messages or time
                break
        return state

    return solve


def _make_encodable(output: ModelOutput) -> None:
    """Replaces halves of surrogate pairs, which a model can write but no log can store."""
    for choice in output.choices:
        message = choice.message
        if isinstance(message.content, str):
            message.content = encodable(message.content)
            continue
        for content in message.content:
            for name in ("text", "reasoning", "summary"):
                if isinstance(text := getattr(content, name, None), str):
                    setattr(content, name, encodable(text))


def _reply(dialogue: Dialogue, output: ModelOutput) -> None:
    if output.choices:
        dialogue.reply(output.completion, output.stop_reason == "content_filter")
    else:
        dialogue.reply("")


def _added_usage(usage: Mapping[str, int], output: ModelOutput) -> dict[str, int]:
    own = output.usage
    added = {
        "requests": 1,
        "input_tokens": own.input_tokens if own else 0,
        "output_tokens": own.output_tokens if own else 0,
    }
    return {name: usage.get(name, 0) + number for name, number in added.items()}


async def _beside(work: Callable[[], T]) -> T:
    """Works in a thread, so that requests go on; one at a time, as physics and drawing use all cores by themselves."""

    def locked() -> T:
        with _PHYSICS:
            return work()

    return await to_thread.run_sync(locked)
