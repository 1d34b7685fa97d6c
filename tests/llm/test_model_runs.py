"""Runs of the agent `llm`: the same log as an imported one, resumed without a request that is repeated."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="needs inspect_ai: pip install tumble[llm]")
pytest.importorskip("openai", reason="needs the client of OpenAI: pip install openai")

import guess
from mock_models import perfect, scripted
from scripted_server import Person, ScriptedServer, serving, text_of
from test_import_log import some_wrong

from tumble.inspect_tasks.import_log import import_log
from tumble.llm.evaluate import ChatError
from tumble.llm.puzzle import PuzzleError
from tumble.runs.log import Log, read
from tumble.runs.participant import AgentError

Evaluate = Callable[..., Any]

MODEL = "openai-api/scripted/person"

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def _settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SCRIPTED_API_KEY", "none")
    with guess.installed():
        yield


def run(server: ScriptedServer, folder: Path, limit: int = 10, seed: int = 0, **settings: Any) -> Log:
    given = {"model": MODEL, "base_url": server.url, **settings}
    return guess.Guess().run(guess.GuessSpec("llm", settings=given, limit=limit, seed=seed), folder)


def person(answer: Callable[[str], str] = perfect, **settings: Any) -> Person:
    return Person("good", lambda messages: answer(text_of(messages)), **settings)


def test_a_run_is_the_same_as_an_imported_one(evaluate: Evaluate, tmp_path: Path) -> None:
    (path,) = import_log(Path(evaluate(scripted(some_wrong), limit=10).location), tmp_path / "imported")
    imported = read(path)
    with serving(person(some_wrong)) as server:
        own = run(server, tmp_path / "own")
    assert own.finished
    assert own.tasks == imported.tasks
    assert list(own.tasks) == list(imported.tasks)
    settings = own.header.given_settings
    assert settings.pop("base_url") == server.url
    assert settings == {**imported.header.given_settings, "model": MODEL}
    for name in ("usage", "answers"):
        assert read(own.path).header.details[name] == imported.header.details[name]


def test_a_stopped_run_resumes_with_nothing_asked_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tumble.llm.evaluate.DIALOGUES", 2)
    with serving(person(some_wrong, fails_after=7)) as server:
        with pytest.raises(ChatError, match="the scripted person has left"):
            run(server, tmp_path)
        (unfinished,) = tmp_path.glob("*.jsonl")
        assert 1 <= len(read(unfinished).tasks) < 10
        server.person.fails_after = None
        log = run(server, tmp_path)
    asked = [text_of(body["messages"]) for body in server.answered]
    assert len(asked) == len(set(asked))
    assert log.finished
    assert read(log.path).header.details["usage"]["requests"] == len(asked)
    assert guess.Guess().replay(log, lambda _: None) == ""


def test_seeds_and_runs_without_a_cache_ask_again(tmp_path: Path) -> None:
    with serving(person()) as server:
        for number, settings in enumerate(({}, {"seed": 1}, {"cache": False}, {"temperature": 0.5}), 1):
            run(server, tmp_path, limit=2, **settings)  # type: ignore[arg-type]
            assert len(server.answered) == 2 * number
        run(server, tmp_path / "again", limit=2)  # from the cache
    assert len(server.answered) == 8
    assert "seed" not in server.answered[0]
    assert server.answered[-1]["temperature"] == 0.5


def test_what_a_run_asks_for_is_sent(tmp_path: Path) -> None:
    with serving(person()) as server:
        run(server, tmp_path, limit=1, schema=True, max_tokens=50, mode="both")
    body = server.answered[0]
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["guess"]
    assert body["max_tokens"] == 50
    assert body["messages"][1]["content"][2]["type"] == "image_url"


def test_a_run_of_other_prompts_is_not_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(person(fails_after=2)) as server:
        with pytest.raises(ChatError):
            run(server, tmp_path)
        monkeypatch.setattr(guess.GuessSet, "prompt_version", "guess-2")
        with pytest.raises(PuzzleError, match="guess-1"):
            guess.Guess().resume(next(tmp_path.glob("*.jsonl")), settings={"base_url": server.url})


@pytest.mark.parametrize("model", ["", "gpt-5", "/gpt-5", 5])
def test_a_model_must_be_named_as_providers_name_it(model: Any, tmp_path: Path) -> None:
    spec = guess.GuessSpec("llm", settings={"model": model} if model else {})
    with pytest.raises(AgentError, match=r"PROVIDER/NAME.*--set model=openai/gpt-5"):
        guess.Guess().run(spec, tmp_path)
    assert not list(tmp_path.glob("*.jsonl"))


def test_a_missing_extra_is_named_with_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai.model", None)
    spec = guess.GuessSpec("llm", settings={"model": MODEL}, limit=1)
    with pytest.raises(ChatError, match=r"pip install 'tumble\[llm\]'"):
        guess.Guess().run(spec, tmp_path)


def test_a_network_that_fails_is_one_line_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tumble.llm.evaluate.MAX_RETRIES", 0)
    with serving(person()) as server:
        url = server.url
    spec = guess.GuessSpec("llm", settings={"model": MODEL, "base_url": url}, limit=1)
    with pytest.raises(ChatError, match=r"can't be asked: Connection error") as caught:
        guess.Guess().run(spec, tmp_path)
    assert "\n" not in str(caught.value)
