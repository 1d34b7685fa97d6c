"""Messages and schemas as inspect_ai has them; needs the extra `llm`."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
    ResponseSchema,
)
from inspect_ai.util import JSONSchema

from tumble.llm.puzzle import Message, Part, Picture


def chat_message(message: Message) -> ChatMessage:
    """A message with its texts, and with its pictures as data URLs after their captions."""
    content = chat_content(message.parts)
    if message.role == "system":
        return ChatMessageSystem(content=content)
    return ChatMessageUser(content=content) if message.role == "user" else ChatMessageAssistant(content=content)


def chat_content(parts: Sequence[Part]) -> str | list[Content]:
    """The content of a message: a text, or texts and pictures if there are any."""
    if any(isinstance(part, Picture) for part in parts):
        return [content for part in parts for content in _contents(part)]
    return "\n".join(part for part in parts if isinstance(part, str))


def _contents(part: Part) -> Iterator[Content]:
    if isinstance(part, str):
        yield ContentText(text=part)
        return
    if part.caption:
        yield ContentText(text=part.caption)
    yield ContentImage(image="data:image/png;base64," + base64.b64encode(part.png).decode())


def response_schema(schema: Mapping[str, Any]) -> ResponseSchema:
    """A JSON schema of answers, for providers that hold models to one."""
    return ResponseSchema(name="answer", json_schema=JSONSchema.model_validate(dict(schema)))
