"""Language models in run specifications: an agent that has their settings; benchmarks run their dialogues."""

from collections.abc import Mapping
from typing import Any, TypeVar

from tumble.errors import TumbleError
from tumble.runs.given import Given, OfTasks

A = TypeVar("A")

LANGUAGE_MODEL = "llm"
"""The name of the agent."""
NAMING = ("model", "mode", "options")
"""The settings that a model's name in tables has."""

SHOWN: dict[str, tuple[OfTasks, ...]] = {"text": ("text",), "picture": ("picture",)}
"""What prompts show of a task, by mode; all others show both."""
WITHOUT_EFFECT = ("cache",)
"""The settings in which runs of the same model may differ."""


class LanguageModelError(TumbleError):
    """A language model with wrong settings, or one that was asked to run like other agents."""


def language_model_class(base: type[A], method: str) -> type[A]:
    """A class of agents for language models: it has their settings, and refuses to propose anything.

    A benchmark leads a model through the dialogues of its puzzles instead (`Benchmark.run`).
    """

    def create(
        self: Any,
        model: str = "",
        mode: str = "text",
        prompts: str = "",
        options: str = "",
        temperature: float | None = None,
        top_p: float | None = None,
        max_tokens: int | None = None,
        reasoning_effort: str | None = None,
        seed: int | None = None,
        base_url: str | None = None,
        schema: bool = False,
        cache: bool = True,
    ) -> None:
        _check_name(model)
        self.model, self.mode, self.prompts, self.options = model, mode, prompts, options
        self.temperature, self.top_p = temperature, top_p
        self.max_tokens, self.reasoning_effort = max_tokens, reasoning_effort
        self.seed, self.base_url, self.schema, self.cache = seed, base_url, schema, cache

    def refuse(self: Any, *_: object, **__: object) -> None:
        raise LanguageModelError("a language model can't be run like other agents here: start it with Benchmark.run")

    def given(self: Any) -> Given:
        seen: tuple[OfTasks, ...] = SHOWN.get(self.mode, ("text", "picture"))
        return Given(tasks=seen, attempts=("status",), declared=False)  # what it was trained with is not known

    members = {"__init__": create, method: refuse, "given": given, "__module__": __name__}
    return type("LanguageModel", (base,), members)


def _check_name(model: object) -> None:
    if not isinstance(model, str) or not all(model.partition("/")):
        given = f", not {model!r}" if model else ""
        raise LanguageModelError(
            f"name the model as inspect_ai does, PROVIDER/NAME{given}: --set model=openai/gpt-5, "
            "--set model=anthropic/claude-sonnet-4-5"
        )


def language_model_label(settings: Mapping[str, Any]) -> str:
    """The name of a model with how it was shown its tasks, for tables.

    >>> language_model_label({"model": "openai/gpt-5", "mode": "text", "options": "grid 8x8x8"})
    'openai/gpt-5 (text, grid 8x8x8)'
    """
    model, *shown = (str(settings.get(name) or "") for name in NAMING)
    return f"{model or LANGUAGE_MODEL} ({', '.join(filter(None, shown)) or 'text'})"
