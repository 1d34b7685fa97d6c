"""Prompts of PHYRE's tasks: exact, short and the same every time."""

import hashlib
import io
import statistics

import pytest
from PIL import Image
from scripted_answers import led

from tumble.llm.puzzle import Message, Picture, prompt_digest
from tumble.phyre.catalogue.tasks_by_id import template_of
from tumble.phyre.llm.prompts import PROMPT_VERSION
from tumble.phyre.llm.puzzle_set import PhyrePuzzles

CHARACTERS_PER_TOKEN = 3.5
GOLDEN = {"phyre-1": "ad70ff1b69a0930b"}
"""Of text prompts and feedback, by version: where one changes the other must too."""
TRIED = '{"x": 60, "y": 238, "radius": 10}'


def openings(selection: dict[str, object]) -> dict[str, tuple[Message, ...]]:
    puzzles = PhyrePuzzles(selection)
    return {task_id: puzzles.puzzle(task_id).opening() for task_id in puzzles.ids}


def tokens(message: Message) -> float:
    return len(message.text) / CHARACTERS_PER_TOKEN


def test_an_attempt_in_text_mode_has_less_than_600_tokens_in_the_median() -> None:
    puzzles = PhyrePuzzles({"limit": 25})
    assert len({template_of(task_id) for task_id in puzzles.ids}) == 25
    totals = []
    for task_id in puzzles.ids:
        dialogue = led(puzzles.puzzle(task_id), [TRIED])
        totals.append(sum(tokens(message) for message in dialogue.messages))  # rules, task, answer and feedback
    assert 300 < statistics.median(totals) < 600


@pytest.mark.parametrize("mode", ["text", "picture", "both"])
@pytest.mark.parametrize("tier", ["ball", "2-balls"])
def test_prompts_are_the_same_bytes_every_time(tier: str, mode: str) -> None:
    selection = {"tier": tier, "mode": mode, "limit": 5}
    first, second = openings(selection), openings(selection)
    assert [prompt_digest(messages) for messages in first.values()] == [
        prompt_digest(messages) for messages in second.values()
    ]
    assert len({prompt_digest(messages) for messages in first.values()}) == len(first)


def test_feedback_is_the_same_bytes_every_time() -> None:
    puzzles = PhyrePuzzles({"ids": ["00003:000"], "mode": "both"})
    told = [prompt_digest(led(puzzles.puzzle("00003:000"), [TRIED]).messages) for _ in range(2)]
    assert told[0] == told[1]


def test_the_version_changes_with_the_prompts() -> None:
    selections: list[dict[str, object]] = [{"limit": 25}, {"tier": "2-balls", "limit": 25}]
    selections += [{"limit": 1, "mode": "picture", "grid": grid} for grid in (None, "5x5x5")]
    texts = [message.text for one in selections for messages in openings(one).values() for message in messages]
    puzzles = PhyrePuzzles({"ids": ["00003:000"]})
    answers = [TRIED, "", "", '{"x": 159, "y": 68, "radius": 5}']
    texts += [message.text for message in led(puzzles.puzzle("00003:000"), answers).messages]
    assert hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16] == GOLDEN[PROMPT_VERSION]


def test_a_prompt_says_all_that_decides_an_attempt() -> None:
    rules, asked = openings({"ids": ["00003:000"]})["00003:000"]
    for words in (
        "256 x 256",
        "y up",
        "gravity 58.8 px/s²",
        "radius 2 to 32",
        "10 attempts",
        '{"x": X, "y": Y, "radius": R}',
        "ends after 16.7 s",
    ):
        assert words in rules.text
    assert asked.text == (
        "Bodies:\n"
        "A: dynamic green bar, 128 x 5.1 at (159.3, 68), angle 90\n"
        "B: static purple bar, 256 x 5.1 at (2.6, 128), angle 90\n"
        "C: dynamic gray jar, height 25.6, width 17.1 at its base and 21.3 at its open top, walls 3.8 thick, "
        "middle of its base at (158.3, 1.9)\n"
        "Goal: A has to touch B for 3 seconds without a break, at any time in the 16.7 s."
    )


def test_prompts_do_not_name_the_task() -> None:
    for task_id, messages in openings({"limit": 25}).items():
        assert not any(template_of(task_id) in message.text for message in messages)


@pytest.mark.parametrize(("mode", "pictures"), [("text", 0), ("picture", 1), ("both", 1)])
def test_modes_show_words_pictures_or_both(mode: str, pictures: int) -> None:
    _, asked = openings({"ids": ["00003:000"], "mode": mode})["00003:000"]
    shown = [part for part in asked.parts if isinstance(part, Picture)]
    assert len(shown) == pictures
    assert ("Bodies:" in asked.text) == (mode != "picture")
    for part in shown:
        image = Image.open(io.BytesIO(part.png))
        assert 384 <= image.width <= 512
        assert 384 <= image.height <= 512


def test_pictures_show_the_grid_of_answers() -> None:
    plain, cells = (
        openings({"ids": ["00003:000"], "mode": "picture", "grid": grid})["00003:000"] for grid in (None, "5x5x5")
    )
    assert '{"cell": "CELL", "radius": LEVEL}' in cells[0].text
    assert "a1 (bottom left) to e5 (top right)" in cells[0].text
    assert "5 x 5 cells of 51 x 51 px" in cells[0].text
    assert "(5, 11, 17, 23, 29 px)" in cells[0].text
    assert prompt_digest(plain[1:]) != prompt_digest(cells[1:])


def test_feedback_tells_what_moved_and_the_nearest_miss() -> None:
    puzzles = PhyrePuzzles({"ids": ["00000:000"], "attempts": 3})
    told = led(puzzles.puzzle("00000:000"), ['{"x": 105, "y": 120, "radius": 15}']).messages[-1].text
    lines = told.splitlines()
    assert lines[0] == "Attempt 1 of 3: not solved."
    assert lines[-1] == "2 attempts left."
    assert any(line.startswith("The red ball first touched A after ") for line in lines)
    assert any(line.startswith("Moved: the red ball (105, 120) to (") for line in lines)
    assert any(line.startswith("A and B were nearest after ") for line in lines)
