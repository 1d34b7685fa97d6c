"""Asking models outside of an evaluation of inspect_ai, as agents of ours do."""

from pathlib import Path

import pytest

pytest.importorskip("inspect_ai", reason="needs inspect_ai: pip install tumble[llm]")
pytest.importorskip("openai", reason="needs the client of OpenAI: pip install openai")

from guess import SCHEMA, GuessSet
from mock_models import perfect
from scripted_server import Person, serving, text_of

from tumble.llm.evaluate import Chat, ChatError

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def _settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("SCRIPTED_API_KEY", "none")


def test_a_model_attempts_puzzles_and_is_not_asked_twice() -> None:
    puzzles = GuessSet(mode="both")
    with serving(Person("good", lambda messages: perfect(text_of(messages)))) as server:
        chat = Chat("openai-api/scripted/person", temperature=0.5, base_url=server.url)
        for _ in range(2):
            led = [chat.lead(puzzles.puzzle(task_id), schema=True) for task_id in puzzles.ids[:3]]
            assert all(dialogue.turns[-1].solved for dialogue in led)
        assert len(server.answered) == 3
        assert server.answered[0]["temperature"] == 0.5
        assert server.answered[0]["response_format"]["json_schema"]["schema"]["required"] == SCHEMA["required"]
        answer = chat.ask(puzzles.puzzle("odd:1").opening())
        assert (answer.text, answer.input_tokens) == (perfect("Task odd:1."), 100)
        Chat(chat.model, 0.5, base_url=server.url, scope="seed 1").ask(puzzles.puzzle("odd:1").opening())
        assert len(server.answered) == 5


def test_a_refusal_is_counted() -> None:
    with serving(Person("refusing", lambda _: "")) as server:
        led = Chat("openai-api/scripted/person", base_url=server.url).lead(GuessSet().puzzle("odd:1"))
    assert [turn.kind for turn in led.turns] == ["refused"] * 3


@pytest.mark.parametrize("model", ["nobody/model", "openai-api/unknown/model", ""])
def test_a_model_that_there_is_not_is_one_line(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INSPECT_EVAL_MODEL", raising=False)
    with pytest.raises(ChatError, match="can't be asked"):
        Chat(model, base_url="http://127.0.0.1:9/v1").ask(GuessSet().puzzle("odd:1").opening())
