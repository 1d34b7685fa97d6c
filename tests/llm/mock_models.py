"""Models with scripted outputs, inside the process."""

import re
from collections.abc import Callable
from typing import Any

from guess import secret
from inspect_ai.model import ChatMessage, Model, ModelOutput, ModelUsage, get_model


def task_in(text: str) -> str:
    """The task of a prompt of Guess."""
    found = re.search(r"Task (\S+)\.", text)
    assert found
    return found.group(1)


def perfect(text: str) -> str:
    """The right answer to a prompt of Guess."""
    return f'{{"guess": {secret(task_in(text))}}}'


def scripted(answer: Callable[[str], str | ModelOutput], seen: list[list[ChatMessage]] | None = None) -> Model:
    """A model that answers the texts of all messages; `seen` gets every request."""

    def output(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        if seen is not None:
            seen.append(messages)
        given = answer("\n".join(message.text for message in messages))
        made = given if isinstance(given, ModelOutput) else ModelOutput.from_content("mockllm/model", given)
        made.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
        return made

    return get_model("mockllm/model", custom_outputs=output, memoize=False)
