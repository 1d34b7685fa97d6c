"""The tools of a puzzle as inspect_ai has them, and the answers to a model's calls."""

from collections.abc import Sequence
from typing import Any

from inspect_ai.model import ChatMessageTool, ModelOutput
from inspect_ai.tool import Tool as InspectTool
from inspect_ai.tool import ToolCall, ToolDef, ToolParams

from tumble.llm.chat_messages import chat_content
from tumble.llm.prompt import encodable
from tumble.llm.tools import Tool, Toolbox, plain_arguments

MOST_NAME = 64
"""Characters of the name of a function that are kept."""


def inspect_tools(toolbox: Toolbox) -> list[InspectTool]:
    """The tools that a model is told of."""
    return [_inspect_tool(toolbox, tool) for tool in toolbox.tools.values()]


def _inspect_tool(toolbox: Toolbox, tool: Tool) -> InspectTool:
    async def execute(**arguments: Any) -> Any:
        return chat_content(toolbox.call(tool.name, arguments))

    return ToolDef(execute, tool.name, tool.description, _parameters(tool)).as_tool()


def _parameters(tool: Tool) -> ToolParams:
    """The schema of its arguments; where these are not described, their names stand for it: inspect_ai needs a text."""
    described = {name: {"description": name, **one} for name, one in tool.parameters["properties"].items()}
    return ToolParams.model_validate({**tool.parameters, "properties": described})


def calls_of(output: ModelOutput) -> list[ToolCall]:
    """The calls of a model's output, whose arguments are made fit to be stored and sent."""
    calls = output.message.tool_calls if output.choices else None
    for call in calls or []:
        call.id, call.function = encodable(call.id), encodable(call.function)[:MOST_NAME]
        call.arguments = plain_arguments(call.arguments)
        call.parse_error = call.parse_error and encodable(call.parse_error)
    return list(calls or [])


def answers_to(toolbox: Toolbox, calls: Sequence[ToolCall]) -> list[ChatMessageTool]:
    """Makes calls, one after the other; a message for each."""
    return [
        ChatMessageTool(
            content=chat_content(toolbox.call(call.function, call.arguments, call.parse_error or "")),
            tool_call_id=call.id,
            function=call.function,
        )
        for call in calls
    ]
