"""Tools of a model: budgets and limits hold, every call is counted, and nothing that is called is a crash."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from guess import ATTEMPTS, SCHEMA, GuessPuzzle, GuessSet, secret

from tumble.benchmark import BenchmarkError
from tumble.errors import TumbleError
from tumble.llm.dialogue import Dialogue
from tumble.llm.puzzle import Puzzle, PuzzleSet, prompt_digest
from tumble.llm.tools import OTHER_CALLS_A_TURN, ToolError, ToolSettings

pytest.importorskip("inspect_ai", reason="needs inspect_ai: pip install tumble[llm]")

from mock_models import perfect, scripted
from tool_models import HOSTILE_ARGUMENTS, metrics, nested, playing
from tool_models import told as told_by_tools

Evaluate = Callable[..., Any]
TASK = "odd:1"
RIGHT = f'{{"guess": {secret(TASK)}}}'
WRONG = f'{{"guess": {secret(TASK) % 9 + 1}}}'


def dialogue(**tools: Any) -> Dialogue:
    return Dialogue(GuessPuzzle(TASK, "text", ATTEMPTS), ToolSettings(**tools))


def call(made: Dialogue, name: str, arguments: Any, problem: str = "") -> str:
    assert made.toolbox is not None
    parts = made.toolbox.call(name, arguments, problem)
    return "\n".join(part if isinstance(part, str) else f"[{part.caption}]" for part in parts)


def counts(made: Dialogue) -> dict[str, int]:
    assert made.toolbox is not None
    return made.toolbox.calls


def test_without_tools_nothing_is_said_about_them() -> None:
    plain, none = Dialogue(GuessPuzzle(TASK, "text", ATTEMPTS)), dialogue()
    assert none.toolbox is None
    assert (
        prompt_digest(plain.messages)
        == prompt_digest(none.messages)
        == prompt_digest(GuessPuzzle(TASK, "text", ATTEMPTS).opening())
    )


def test_the_opening_names_the_tools_and_the_budget() -> None:
    made = dialogue(simulate=5, note=True)
    opening = GuessPuzzle(TASK, "text", ATTEMPTS).opening()
    assert made.messages[1:] == list(opening[1:])
    assert made.messages[0].text == opening[0].text + (
        "\nBefore an answer you may call tools, at most 15 times: simulate (at most 5 times in all), note. "
        "An answer itself is written, not called."
    )


def test_a_simulation_says_what_would_happen_and_counts_for_nothing() -> None:
    made = dialogue(simulate=3)
    assert call(made, "simulate", {"guess": secret(TASK)}) == "Right.\n2 simulations left."
    assert call(made, "simulate", {"guess": secret(TASK) % 9 + 1}) == "Wrong.\n1 simulation left."
    assert not made.over
    assert not made.turns
    made.reply(RIGHT)
    assert made.over
    assert counts(made) == {"simulate": 2, "refused": 0}


def test_the_budget_is_of_the_whole_task_and_invalid_calls_use_it_up() -> None:
    made = dialogue(simulate=2)
    assert call(made, "simulate", {}) == 'Error: "guess" must be a whole number.\n1 simulation left.'
    made.reply(WRONG)
    assert call(made, "simulate", None) == "Error: the arguments are no JSON object.\n0 simulations left."
    for _ in range(3):
        assert "the budget of 2 simulations is used up" in call(made, "simulate", {"guess": 1})
    assert counts(made) == {"simulate": 2, "refused": 3}


def test_notes_are_kept_over_turns() -> None:
    made = dialogue(note=True)
    assert call(made, "note", {"text": "not 3"}) == "Notes so far:\n1. not 3"
    made.reply(WRONG)
    assert call(made, "note", {"text": "higher"}) == "Notes so far:\n1. not 3\n2. higher"
    assert "at most 2000 characters" in call(made, "note", {"text": "x" * 2001})
    assert "that is not empty" in call(made, "note", {"text": " "})
    assert counts(made) == {"note": 4, "refused": 0}


def test_calls_before_an_answer_are_limited() -> None:
    made = dialogue(note=True)
    for _ in range(OTHER_CALLS_A_TURN):
        assert call(made, "note", {"text": "x"}).startswith("Notes")
    assert made.toolbox is not None
    assert made.toolbox.exhausted
    assert call(made, "note", {"text": "x"}) == "Error: no calls are left before your answer: answer now."
    made.reply("what?")
    assert made.toolbox.exhausted  # it is the same turn
    made.reply(WRONG)
    assert call(made, "note", {"text": "x"}).startswith("Notes")
    assert counts(made) == {"note": OTHER_CALLS_A_TURN + 1, "refused": 1}


def test_tools_that_are_not_there_are_refused() -> None:
    made = dialogue(look=True)
    assert call(made, "simulate", {"guess": 1}) == "Error: there is no tool 'simulate'; there is only look."
    assert call(made, "\n" * 1000, {}).startswith("Error: there is no tool ")
    assert call(made, "look", {}) == "[the hat]"
    assert counts(made) == {"look": 1, "refused": 2}


@pytest.mark.parametrize("arguments", [*HOSTILE_ARGUMENTS, nested(300), [], "text", 5, None])
@pytest.mark.parametrize("name", ["simulate", "look", "note", "else", ""])
def test_hostile_arguments_are_told_and_counted(name: str, arguments: Any) -> None:
    made = dialogue(simulate=2, look=True, note=True)
    if name == "look" and arguments == {}:
        return
    told = call(made, name, arguments)
    assert told.startswith("Error: ") or (name == "note" and "\ud83d" not in told)
    assert len(told) < 20_000
    told.encode()
    assert sum(counts(made).values()) == 1


@pytest.mark.parametrize(
    "settings",
    [{"simulate": -1}, {"simulate": True}, {"simulate": "5"}, {"look": 1}, {"note": "yes"}, {"simulate": 1.5}],
)
def test_settings_that_are_none_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ToolError, match="must be"):
        ToolSettings(**settings)


def test_puzzles_have_no_tools_unless_they_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GuessSet, "tools", PuzzleSet.tools)
    ToolSettings(note=True).check(GuessSet())
    with pytest.raises(ToolError, match="there is no tool simulate for these tasks; there is only note"):
        ToolSettings(simulate=1).check(GuessSet())
    puzzle = GuessPuzzle(TASK, "text", 1)
    with pytest.raises(TumbleError, match="no simulator"):
        Puzzle.imagine(puzzle, 3)
    with pytest.raises(TumbleError, match="nothing to look at"):
        Puzzle.look(puzzle, {})


def test_a_model_calls_tools_before_it_answers(evaluate: Evaluate) -> None:
    seen: list[Any] = []
    steps = [
        ("simulate", {"guess": 1}),
        [("look", {}), ("note", {"text": "a hat"})],
        [("simulate", {"guess": 2}), ("simulate", {"guess": 3})],
        RIGHT,
    ]
    log = evaluate(playing(steps, seen), limit=1, simulate=2, look=True, note=True)
    (sample,) = log.samples
    assert told_by_tools(sample) == [
        "Wrong.\n1 simulation left.",
        "the hat",
        "Notes so far:\n1. a hat",
        "Wrong.\n0 simulations left.",
        "Error: the budget of 2 simulations is used up: answer without.",
    ]
    assert [turn["status"] for turn in sample.store["turns"]] == ["solved"]
    assert sample.store["tool_calls"] == {"simulate": 2, "look": 1, "note": 1, "refused": 1}
    assert sample.store["usage"]["requests"] == 4
    found = metrics(log)
    assert (found["simulations"], found["looks"], found["notes"], found["refused_calls"]) == (2, 1, 1, 1)
    assert found["valid"] == found["solved"] == 1
    (request, *_) = (event for event in sample.events if event.event == "model")
    assert [tool.name for tool in request.tools] == ["simulate", "look", "note"]
    parameters = request.tools[0].parameters.model_dump(exclude_none=True)
    assert parameters["properties"]["guess"].pop("description") == "guess"
    assert parameters == SCHEMA
    assert "simulate (at most 2 times in all)" in seen[0][0].text


def test_without_tools_requests_and_logs_are_as_they_were(evaluate: Evaluate) -> None:
    log = evaluate(playing([("simulate", {"guess": 1}), RIGHT]), limit=1)
    (sample,) = log.samples
    requests = [event for event in sample.events if event.event == "model"]
    assert all(not request.tools for request in requests)
    assert not told_by_tools(sample)
    assert "tool_calls" not in sample.store
    assert "tools" not in sample.metadata
    assert not metrics(log).keys() & {"simulations", "looks", "notes", "refused_calls"}
    assert [turn["kind"] for turn in sample.store["turns"]] == ["repaired"]


def test_a_model_that_only_calls_has_to_answer_and_loses_its_attempts(evaluate: Evaluate) -> None:
    log = evaluate(playing([[("note", {"text": "x"})] * 4]), limit=1, note=True)
    (sample,) = log.samples
    turns = sample.store["turns"]
    assert [(turn["kind"], turn["counts"]) for turn in turns] == [("empty", True)] * ATTEMPTS
    assert sample.store["tool_calls"]["note"] == ATTEMPTS * OTHER_CALLS_A_TURN
    calls = {one.id for message in sample.messages if message.role == "assistant" for one in message.tool_calls}
    assert calls == {message.tool_call_id for message in sample.messages if message.role == "tool"}
    choices = [event.tool_choice for event in sample.events if event.event == "model"]
    assert choices[:5] == ["auto", "auto", "auto", "none", "none"]  # 12 calls; sent back once, then a new turn
    assert choices[5] == "auto"


def test_hostile_calls_are_logged_and_counted(evaluate: Evaluate) -> None:
    names = ("simulate", "look", "note", "\ud83d", "x" * 5000)
    calls = [[(name, arguments) for name in names] for arguments in [*HOSTILE_ARGUMENTS, nested(100)]]
    log = evaluate(playing([*calls, RIGHT]), limit=1, simulate=100, look=True, note=True)
    (sample,) = log.samples
    count = len(calls)
    assert sample.store["tool_calls"] == {"simulate": count, "look": count, "note": count, "refused": 2 * count}
    assert [turn["kind"] for turn in sample.store["turns"]] == ["valid"]
    assert len(told_by_tools(sample)) == 5 * count


def test_what_was_called_and_answered_is_not_asked_again(evaluate: Evaluate) -> None:
    seen: list[Any] = []
    model = playing([("simulate", {"guess": 1}), ("look", {}), RIGHT], seen)
    first = evaluate(model, limit=4, simulate=1, look=True)
    asked = len(seen)
    again = evaluate(model, limit=4, simulate=1, look=True)
    assert len(seen) == asked
    assert [sample.store for sample in again.samples] == [sample.store for sample in first.samples]


def test_runs_with_and_without_tools_are_different_runs(evaluate: Evaluate, tmp_path: Path) -> None:
    from tumble.benchmark import benchmark
    from tumble.inspect_tasks.import_log import import_log
    from tumble.runs.log import read

    logs = [
        evaluate(playing([("simulate", {"guess": 1}), ("simulate", {}), RIGHT]), limit=4, simulate=3, look=True),
        evaluate(scripted(perfect), limit=4),
    ]
    runs = [read(path) for log in logs for path in import_log(Path(log.location), tmp_path / "runs")]
    assert len({run.path for run in runs}) == 2
    assert [run.header.given_settings.get("options") for run in runs] == ["simulate 3, look true", None]
    details = runs[0].header.details
    turns = sum(len(sample.store["turns"]) for sample in logs[0].samples)
    assert details["tools"] == {"simulate": 3, "look": True}
    assert details["tool_calls"] == {"simulate": 8, "look": 0, "refused": 0}
    assert "tools" not in runs[1].header.details
    assert sum(map(len, runs[0].tasks.values())) == turns
    assert all(benchmark("guess").replay(run, lambda _: None) == "" for run in runs)


def test_a_tool_that_a_benchmark_has_not_is_refused(evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch) -> None:
    from tumble.inspect_tasks.tasks import all_small

    monkeypatch.setattr(GuessSet, "tools", ("look",))
    with pytest.raises(BenchmarkError, match=r"Guess: there is no tool simulate for these tasks; there are look and n"):
        evaluate(scripted(perfect), simulate=5)
    with pytest.raises(BenchmarkError, match="guess: there is no tool simulate"):
        all_small(simulate=5)
    assert "tools" in all_small(look=True).dataset[0].metadata


def test_pictures_of_tools_reach_the_model(evaluate: Evaluate) -> None:
    from inspect_ai.model import ContentImage

    seen: list[Any] = []
    log = evaluate(playing([("look", {}), RIGHT], seen), limit=1, look=True)
    (answer,) = (message for message in log.samples[0].messages if message.role == "tool")
    assert [type(content).__name__ for content in answer.content] == ["ContentText", "ContentImage"]
    (sent,) = seen[1][-1].content  # the mock takes pictures of tools as messages of the user
    assert isinstance(sent, ContentImage)
    assert sent.image.startswith("data:image/png;base64,")
