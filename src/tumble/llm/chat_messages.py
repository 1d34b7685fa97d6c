"""Messages and schemas as inspect_ai has them; needs the extra `llm`."""

import base64
from collections.abc import Iterator, Mapping
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

from tumble.llm.prompt import Message, Part, Picture

CLASSES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}


def chat_message(message: Message) -> ChatMessage:
    """A message with its texts, and with its pictures as data URLs after their captions."""
    if not any(isinstance(part, Picture) for part in message.parts):
        return CLASSES[message.role](content=message.text)
    return CLASSES[message.role](content=[content for part in message.parts for content in _contents(part)])


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
