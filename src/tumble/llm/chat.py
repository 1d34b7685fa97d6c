"""Asking a model, as our own agents do: through inspect_ai's providers, and with its cache; needs the extra `llm`."""

import asyncio
import os
import re
import threading
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from tumble.errors import TumbleError
from tumble.llm.dialogue import Dialogue
from tumble.llm.prompt import Message, encodable
from tumble.llm.puzzle import Puzzle

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
            output = _loop(os.getpid()).run(request())
        except Exception as error:  # of whatever provider
            raise ChatError(f"the model {self.model!r} can't be asked: {_problem(error)}") from error
        return ChatAnswer(
            encodable(output.completion if output.choices else ""),
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


def _problem(error: BaseException) -> str:
    """What a provider says, in one line, also where it is wrapped in an error about retries."""
    while isinstance(getattr(error, "last_attempt", None), Future) and (inner := error.last_attempt.exception()):  # type: ignore[attr-defined]
        error = inner
    text = str(getattr(error, "message", "") or error) or type(error).__name__
    return " ".join(re.sub(r"\[/?(bold|italic|red|yellow|blue|link)[^\]]*\]", "", text).split())


class _Loop:
    """An event loop in a thread of its own: clients of providers belong to the loop in which they were made."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="chat", daemon=True).start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


@cache
def _loop(process: int) -> _Loop:
    """The loop of a process: its thread is not there in a process that was forked."""
    return _Loop()
