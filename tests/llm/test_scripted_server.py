"""The real client code of inspect_ai against a server that plays a scripted person."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="needs inspect_ai: pip install tumble[llm]")
pytest.importorskip("openai", reason="needs the client of OpenAI: pip install openai")

import guess
from inspect_ai.model import Model, get_model
from mock_models import perfect
from scripted_server import Manner, Messages, Person, ScriptedServer, serving, text_of

Evaluate = Callable[..., Any]


def person(manner: Manner, **settings: Any) -> Person:
    return Person(manner, lambda messages: perfect(text_of(messages)), wrong_answer='{"guess": 99}', **settings)


def client(server: ScriptedServer) -> Model:
    return get_model("openai-api/scripted/person", base_url=server.url, api_key="none", memoize=False)


def metrics(log: Any) -> dict[str, float]:
    assert log.status == "success", log.error
    return {name: metric.value for name, metric in log.results.scores[0].metrics.items()}


@pytest.mark.parametrize(
    ("manner", "kind", "solved"),
    [
        ("good", "valid", 1),
        ("slow", "valid", 1),
        ("wrong", "valid", 0),
        ("malformed", "malformed", 0),
        ("silent", "empty", 0),
        ("refusing", "refused", 0),
    ],
)
def test_every_manner_is_counted_as_what_it_is(evaluate: Evaluate, manner: Manner, kind: str, solved: float) -> None:
    with serving(person(manner)) as server:
        log = evaluate(client(server), limit=2, mode="both", schema=True)
    found = metrics(log)
    assert found[kind] == 1
    assert found["solved"] == solved
    assert log.samples[0].store["usage"]["input_tokens"] == 100 * log.samples[0].store["usage"]["requests"]
    body = server.answered[0]
    schema = body["response_format"]["json_schema"]["schema"]
    assert schema["required"] == guess.SCHEMA["required"]
    assert schema["properties"]["guess"]["type"] == "integer"
    assert body["messages"][1]["content"][2]["image_url"]["url"].startswith("data:image/png;base64,")


def test_what_was_answered_before_an_error_is_not_asked_again(evaluate: Evaluate) -> None:
    with serving(person("good", fails_after=5)) as server:
        assert evaluate(client(server), {"max_connections": 1}, limit=10).status == "error"
        assert len(server.answered) == 5
        server.person.fails_after = None
        assert metrics(evaluate(client(server), limit=10))["solved"] == 1
    assert len(server.answered) == 10
    assert len({text_of(body["messages"]) for body in server.answered}) == 10


RUN = """
import guess, sys
from inspect_ai import eval
from inspect_ai.model import get_model
if __name__ == "__main__":
    with guess.installed():
        from tumble.inspect_tasks.tasks import benchmark_task
        model = get_model("openai-api/scripted/person", base_url=sys.argv[1], api_key="none")
        (log,) = eval(benchmark_task("guess")(), model=model, display="none", log_dir=sys.argv[2], max_connections=1)
        assert log.status == "success", log.error
        assert log.results.scores[0].metrics["solved"].value == 1
"""


@pytest.mark.slow
def test_a_run_that_was_killed_repeats_no_request_that_was_answered(tmp_path: Path) -> None:
    paths = [str(Path(guess.__file__).parent), *filter(None, sys.path)]
    environment = {**os.environ, "INSPECT_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": os.pathsep.join(paths)}
    with serving(person("slow")) as server:
        command = [sys.executable, "-c", RUN, server.url, str(tmp_path / "logs")]
        process = subprocess.Popen(command, env=environment)
        while len(server.answered) < 7:
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        killed_at = len(server.answered)
        assert killed_at < 20
        subprocess.run(command, env=environment, check=True)
    asked = [text_of(body["messages"]) for body in server.answered]
    assert len(set(asked)) == 20
    assert len(asked) <= 21  # the one that was under way
    assert set(asked[: killed_at - 1]).isdisjoint(asked[killed_at:])


def test_tools_are_called_through_the_client(evaluate: Evaluate) -> None:
    def calls(messages: Messages) -> list[tuple[str, str]]:
        """Some with arguments that are no JSON object, in two requests."""
        rounds = sum(message["role"] == "assistant" for message in messages)
        if rounds == 0:
            return [("simulate", '{"guess": 1}'), ("look", "{}"), ("simulate", '{"guess": ')]
        return [("note", "[]"), ("simulate", "NaN"), ("unknown", "{}")] if rounds == 1 else []

    with serving(person("good", calls=calls)) as server:
        log = evaluate(client(server), limit=2, simulate=2, look=True, note=True)
    for sample in log.samples:
        assert sample.store["tool_calls"] == {"simulate": 2, "look": 1, "note": 1, "refused": 2}
    assert metrics(log)["solved"] == 1
    first, *_, last = sorted(server.answered, key=lambda body: len(body["messages"]))
    assert [tool["function"]["name"] for tool in first["tools"]] == ["simulate", "look", "note"]
    told = {message["tool_call_id"]: text_of([message]) for message in last["messages"] if message["role"] == "tool"}
    assert [text.startswith("Error: ") for text in told.values()] == [False, False, True, True, True, True]
    assert "the arguments are no JSON object" in list(told.values())[2]
    assert "data:image/png;base64," in str(last["messages"])
