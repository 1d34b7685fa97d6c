"""Prompts as plain data: messages of texts and pictures, the same bytes for the same task and settings."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Mode = Literal["text", "picture", "both"]
"""How a scene is shown: in exact words, as a picture, or as both."""
MODES: tuple[Mode, ...] = ("text", "picture", "both")
Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True)
class Picture:
    """A picture in a message."""

    png: bytes
    caption: str
    """What it shows, in a few words; it stands before the picture."""


Part = str | Picture


@dataclass(frozen=True)
class Message:
    """A message of a dialogue."""

    role: Role
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """Its texts and the captions of its pictures, each on lines of its own."""
        return "\n".join(part if isinstance(part, str) else f"[{part.caption}]" for part in self.parts)


def digest(messages: Sequence[Message]) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of all bytes of messages."""
    total = hashlib.sha256()
    for message in messages:
        total.update(f"{message.role} {len(message.parts)}\n".encode())
        for part in message.parts:
            content = part.encode() if isinstance(part, str) else part.caption.encode() + b"\0" + part.png
            total.update(f"{type(part).__name__} {len(content)}\n".encode() + content)
    return total.hexdigest()[:16]


def encodable(text: str) -> str:
    """A text without halves of surrogate pairs, which have no bytes."""
    return text.encode("utf-8", "replace").decode()
