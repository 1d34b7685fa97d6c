"""How a model attempts a sample: by the dialogue about the sample's puzzle, until that is over.

A sample holds which puzzle it is, and the puzzle is made when it is attempted. Where it has tools, they are given to
the model as inspect_ai has them, and its calls are answered.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from threading import Lock
from typing import Any, TypeVar

from anyio import to_thread
from inspect_ai.dataset import Sample
from inspect_ai.model import CachePolicy, ChatMessageTool, ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool as InspectTool
from inspect_ai.tool import ToolCall, ToolDef, ToolParams

from tumble.benchmark import benchmark
from tumble.llm.chat_messages import chat_content, chat_message, response_schema
from tumble.llm.dialogue import Dialogue
from tumble.llm.puzzle import Puzzle, PuzzleSet, encodable_text, stratified_order
from tumble.llm.tools import NO_TOOLS, Tool, Toolbox, ToolSettings, plain_arguments

TOOLS_KEY = "tools"
"""In the metadata of a sample whose model has tools: their settings."""
MOST_PUZZLE_SETS = 8
"""Sets of puzzles that are kept in memory."""


def puzzle_set(name: str, selection: Mapping[str, Any]) -> PuzzleSet:
    """The puzzles of a benchmark; the same object for the same selection."""
    return _puzzle_set(name, json.dumps(dict(selection), sort_keys=True))


@lru_cache(maxsize=MOST_PUZZLE_SETS)
def _puzzle_set(name: str, selection: str) -> PuzzleSet:
    return benchmark(name).puzzles(json.loads(selection))


def puzzle_of(metadata: Mapping[str, Any]) -> Puzzle:
    """The puzzle of a sample, from its metadata."""
    return puzzle_set(metadata["benchmark"], metadata["selection"]).puzzle(metadata["task"])


def tools_of(metadata: Mapping[str, Any]) -> ToolSettings:
    """The tools of a sample, from its metadata."""
    return ToolSettings(**metadata.get(TOOLS_KEY, {}))


def samples_of(
    name: str, selection: Mapping[str, Any], seed: int, prefix: str = "", tools: ToolSettings = NO_TOOLS
) -> Iterator[Sample]:
    """The samples of a selection, in turns over the templates, so that any number of the first ones is stratified.

    With seed 0 the benchmark applies the selection's `limit`, as for its other agents; other seeds draw other tasks.
    """
    limit = None
    if seed:
        selection = dict(selection)
        limit = selection.pop("limit", None)
    puzzles = puzzle_set(name, selection)
    tools.check(puzzles)
    for task_id in stratified_order(puzzles.ids, puzzles.template, seed)[:limit]:
        metadata = {
            "benchmark": name,
            "task": task_id,
            "template": puzzles.template(task_id),
            "selection": dict(selection),
            "prompt_version": puzzles.prompt_version,
        }
        if tools.chosen:
            metadata[TOOLS_KEY] = tools.chosen
        yield Sample(id=f"{prefix}{task_id}", input=f"{name} {task_id}", metadata=metadata)


LONGEST_TOOL_NAME = 64
"""Characters of the name of a function that are kept."""


def inspect_tools(toolbox: Toolbox) -> list[InspectTool]:
    """The tools that a model is told of."""
    return [_inspect_tool(toolbox, tool) for tool in toolbox.tools.values()]


def _inspect_tool(toolbox: Toolbox, tool: Tool) -> InspectTool:
    async def execute(**arguments: Any) -> Any:
        return chat_content(toolbox.call(tool.name, arguments))

    return ToolDef(execute, tool.name, tool.description, _tool_parameters(tool)).as_tool()


def _tool_parameters(tool: Tool) -> ToolParams:
    """The schema of its arguments; where these are not described, their names stand for it: inspect_ai needs a text."""
    described = {name: {"description": name, **one} for name, one in tool.parameters["properties"].items()}
    return ToolParams.model_validate({**tool.parameters, "properties": described})


def tool_calls_of(output: ModelOutput) -> list[ToolCall]:
    """The calls of a model's output, whose arguments are made fit to be stored and sent."""
    calls = output.message.tool_calls if output.choices else None
    for call in calls or []:
        call.id, call.function = encodable_text(call.id), encodable_text(call.function)[:LONGEST_TOOL_NAME]
        call.arguments = plain_arguments(call.arguments)
        call.parse_error = call.parse_error and encodable_text(call.parse_error)
    return list(calls or [])


def answers_to_calls(toolbox: Toolbox, calls: Sequence[ToolCall]) -> list[ChatMessageTool]:
    """Makes calls, one after the other; a message for each."""
    return [
        ChatMessageTool(
            content=chat_content(toolbox.call(call.function, call.arguments, call.parse_error or "")),
            tool_call_id=call.id,
            function=call.function,
        )
        for call in calls
    ]


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
            calls = tool_calls_of(state.output)
            if toolbox is not None and calls:
                state.messages += await _beside(partial(answers_to_calls, toolbox, calls))
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
            message.content = encodable_text(message.content)
            continue
        for content in message.content:
            for name in ("text", "reasoning", "summary"):
                if isinstance(text := getattr(content, name, None), str):
                    setattr(content, name, encodable_text(text))


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
