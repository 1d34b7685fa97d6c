"""Language models in run specifications: an agent that stands for one in imported logs, and can't be started."""

from typing import Any, TypeVar

from tumble.errors import TumbleError

A = TypeVar("A")

LANGUAGE_MODEL = "llm"
"""The name of the agent."""


class LanguageModelError(TumbleError):
    """A language model was asked to run like an agent, in a benchmark where it can't."""


def language_model_class(base: type[A], method: str) -> type[A]:
    """A class of agents for logs of language models: it has their settings, and refuses to propose anything."""

    def create(
        self: Any,
        model: str = "",
        mode: str = "",
        prompts: str = "",
        options: str = "",
        temperature: float | None = None,
        top_p: float | None = None,
        max_tokens: int | None = None,
        reasoning_effort: str | None = None,
    ) -> None:
        self.model, self.mode, self.prompts, self.options = model, mode, prompts, options
        self.temperature, self.top_p = temperature, top_p
        self.max_tokens, self.reasoning_effort = max_tokens, reasoning_effort

    def refuse(self: Any, *_: object, **__: object) -> None:
        raise LanguageModelError("a language model can't be run like an agent here: evaluate it with inspect_ai")

    return type("LanguageModel", (base,), {"__init__": create, method: refuse, "__module__": __name__})
