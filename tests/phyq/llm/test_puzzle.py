"""Stored solutions as answers win, other answers are told what they did, and every attempt can be replayed."""

import json

import pytest

from tumble.llm.dialogue import Dialogue
from tumble.llm.puzzle import Picture, prompt_digest
from tumble.phyq.benchmark import PHYQ
from tumble.phyq.llm.prompts import PROMPT_VERSION
from tumble.phyq.llm.puzzle_set import solution_answers
from tumble.phyq.simulation.attempt import STATUS_CODES, attempt_shots, shots_of
from tumble.phyq.simulation.simulator import Simulator

SOLVED_TASKS = {
    "one bird": "6.4:080",
    "less than full power": "1.3:080",
    "several birds": "11.2:080",
    "a structure": "12.4:080",
    "a delay": "14.2:080",
    "boost": "15.1:080",
    "split": "15.2:080",
    "egg": "15.3:080",
    "bomb": "15.4:080",
}


def dialogue(task_id: str, **selection: object) -> Dialogue:
    return Dialogue(PHYQ.puzzles({"ids": [task_id], **selection}).puzzle(task_id))


@pytest.mark.parametrize("mode", ["text", "picture"])
@pytest.mark.parametrize("task_id", SOLVED_TASKS.values(), ids=SOLVED_TASKS)
def test_stored_solutions_win_at_the_first_attempt(task_id: str, mode: str) -> None:
    answers = solution_answers(task_id)
    told = dialogue(task_id, mode=mode, picture_width=480)
    for answer in answers:
        assert not told.over
        told.reply(f"I shoot so:\n```json\n{answer}\n```")
    assert told.over
    assert [turn.status for turn in told.turns] == ["open"] * (len(answers) - 1) + ["solved"]
    assert [turn.counts for turn in told.turns] == [False] * (len(answers) - 1) + [True]
    assert all(turn.kind == "valid" for turn in told.turns)


def test_a_lost_attempt_is_told_and_the_level_starts_again() -> None:
    told = dialogue("11.2:080", attempts=2)
    told.reply('{"angle": 75, "power": 0.3}')
    assert told.turns[-1].status == "open"
    assert not told.turns[-1].counts
    assert "Birds left, in their order: red." in told.messages[-1].text
    told.reply('{"angle": 80, "power": 0.3}')
    assert told.turns[-1].status == "not solved"
    assert told.turns[-1].counts
    assert "Shot 2 (red, angle 80, power 0.3): the bird rose to" in told.messages[-1].text
    assert "Attempt 1 of 2 is lost with 3 pigs left." in told.messages[-1].text
    assert "The level starts again" in told.messages[-1].text
    for answer in solution_answers("11.2:080"):
        told.reply(answer)
    assert told.over
    assert told.turns[-1].solved
    assert [turn.record["attempt"] for turn in told.turns if turn.counts] == [1, 2]


def test_records_replay_to_the_same_status() -> None:
    """Also of an attempt that an unreadable answer ended after its first shot."""
    told = dialogue("14.2:080", attempts=3)
    for answer in ('{"angle": 20, "power": 1}', '{"angle": 30, "power": 0.5}', '{"angle": 50, "power": 1}', "no", "no"):
        told.reply(answer)
    told.reply(solution_answers("14.2:080")[0])
    assert told.over
    records = [turn.record for turn in told.turns if turn.counts]
    assert [record["status"] for record in records] == [-1, 0, 1]
    json.dumps(records, allow_nan=False)
    played = attempt_shots(Simulator(["14.2:080"]), [0] * 3, [shots_of(record["action"]) for record in records])
    assert [(STATUS_CODES[one.status], one.steps) for one in played] == [
        (record["status"], record["steps"]) for record in records
    ]


def test_an_unreadable_answer_is_sent_back_once_and_then_costs_the_attempt() -> None:
    told = dialogue("6.4:080", attempts=2)
    told.reply('{"angle": 200}')
    assert not told.turns
    assert '"angle" must be a number from -180 to 180, not 200' in told.messages[-1].text
    told.reply('{"angle": 20}')
    assert [(turn.kind, turn.status) for turn in told.turns] == [("repaired", "not solved")]
    told.reply("I can't")
    told.reply("I can't")
    assert told.over
    assert (told.turns[-1].kind, told.turns[-1].status, told.turns[-1].counts) == ("refused", "invalid", True)
    assert told.turns[-1].record["action"] == []


@pytest.mark.parametrize("mode", ["text", "picture", "both"])
def test_prompts_have_the_same_bytes_twice(mode: str) -> None:
    digests = []
    for _ in range(2):
        told = dialogue("11.2:080", mode=mode, picture_width=480)
        told.reply('{"angle": 40, "power": 1}')
        digests.append(prompt_digest(told.messages))
    assert digests[0] == digests[1]


def test_pictures_are_shown_in_their_modes_only() -> None:
    for mode, pictures in (("text", (0, 0)), ("picture", (1, 2)), ("both", (1, 2))):
        told = dialogue("11.2:080", mode=mode, picture_width=480)
        told.reply('{"angle": 40, "power": 1}')
        first, last = told.messages[1], told.messages[-1]
        assert tuple(sum(isinstance(part, Picture) for part in one.parts) for one in (first, last)) == pictures
        assert ("Blocks:" in first.text) == (mode != "picture")
        assert ("grid" in told.messages[0].text) == (mode != "text")
        assert all(
            part.png.startswith(b"\x89PNG") for one in told.messages for part in one.parts if isinstance(part, Picture)
        )


def test_texts_change_only_with_the_version_of_prompts() -> None:
    """Where this fails, raise PROMPT_VERSION and write the new digest: scores depend on prompts."""
    messages = []
    for task_id in ("11.2:080", "14.2:080", "15.3:080"):
        told = dialogue(task_id)
        told.reply('{"angle": 40, "power": 1, "tap": 1}')
        messages += told.messages
    assert (PROMPT_VERSION, prompt_digest(messages)) == ("phyq-1", "c27ebfae22a900d9")
