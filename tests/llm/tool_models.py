"""Models that call tools as scripted, and evaluations of them on any benchmark."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    Model,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.tool import ToolCall

Call = tuple[str, Any]
"""The name of a tool, and its arguments."""
Step = str | Call | list[Call]
"""A written answer, a call, or several calls at once."""

HOSTILE_ARGUMENTS: list[Any] = [
    {},
    {"x": None, "y": [], "radius": {}},
    {"angle": float("nan"), "power": float("inf"), "guess": float("nan"), "text": float("nan")},
    {"x": 10**4000, "y": -(10**400), "radius": 1e300, "angle": 10**4000, "guess": 10**4000, "text": 10**4000},
    {"left": "0", "bottom": None, "right": [], "top": {}, "text": 3, "video": "target", "time": "now"},
    {"left": 0, "bottom": 0, "right": -5, "top": float("-inf"), "video": 0.5, "time": 1},
    {"left": 1e20, "bottom": 1e20, "right": 1e21, "top": 1e21, "video": 0, "time": 1e25},
    {"left": 0, "bottom": 0, "right": 1e-9, "top": 1e-9, "video": 9, "time": -1},
    {"left": 0, "bottom": 0, "right": 200, "top": 4, "video": 0, "time": True},
    {"x": "\ud83d", "\ud83d": "\ud83d", "text": "\ud83d" * 3000},
    {"text": "x" * 100_000, "answer": "y" * 100_000},
    {"balls": [[[[[[[[[[[["deep"]]]]]]]]]]]] * 3, "then": [[[[[[[[[[[[{}]]]]]]]]]]]]},
    {"angle": True, "power": "1", "tap": [], "then": "later", "guess": True},
]


def nested(depth: int) -> dict[str, Any]:
    """Objects in objects."""
    found: dict[str, Any] = {}
    for _ in range(depth):
        found = {"x": found}
    return found


def playing(steps: Sequence[Step], seen: list[list[ChatMessage]] | None = None) -> Model:
    """A model that takes one step after the other in every sample, the last one again and again."""

    def output(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        if seen is not None:
            seen.append(messages)
        number = sum(message.role == "assistant" for message in messages)
        step = steps[min(number, len(steps) - 1)]
        text, calls = (step, []) if isinstance(step, str) else ("", step if isinstance(step, list) else [step])
        message = ChatMessageAssistant(
            content=text,
            source="generate",
            tool_calls=[
                ToolCall(id=f"call {number} {k}", function=name, arguments=arguments)
                for k, (name, arguments) in enumerate(calls)
            ]
            or None,
        )
        return ModelOutput(
            model="mockllm/model",
            choices=[ChatCompletionChoice(message=message, stop_reason="tool_calls" if calls else "stop")],
            usage=ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110),
        )

    return get_model("mockllm/model", custom_outputs=output, memoize=False)


def evaluated(name: str, model: Model, folder: Path, **arguments: Any) -> Any:
    """The log of a model on a benchmark, without cache."""
    from tumble.inspect_tasks.tasks import benchmark_task

    options: dict[str, Any] = {"display": "none", "log_dir": str(folder / "logs"), "log_realtime": False}
    (log,) = inspect_eval(benchmark_task(name)(cache=False, **arguments), model=model, **options)
    assert log.status == "success", log.error
    return log


def metrics(log: Any) -> dict[str, float]:
    """The scores of a log."""
    assert log.status == "success", log.error
    (score,) = log.results.scores
    return {name: metric.value for name, metric in score.metrics.items()}


def told(sample: Any) -> list[str]:
    """What the tools said in a sample."""
    return [message.text for message in sample.messages if message.role == "tool"]


ignore_warnings = pytest.mark.filterwarnings("ignore")
"""Those inside inspect_ai are not ours."""
