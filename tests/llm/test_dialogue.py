"""Dialogues: what is counted, what is sent back, and that nothing a model says is a crash."""

import json
import random
from itertools import product

import pytest
from guess import ATTEMPTS, HIGHEST, GuessPuzzle, GuessSet, secret
from hostile_answers import hostile_answer

from tumble.benchmark import Benchmark, NoPuzzlesError
from tumble.llm.dialogue import MOST_TURNS_AN_ATTEMPT, Dialogue
from tumble.llm.puzzle import prompt_digest

TASK = "odd:1"
RIGHT = f'{{"guess": {secret(TASK)}}}'
WRONG = f'{{"guess": {secret(TASK) % 9 + 1}}}'


def dialogue(*answers: str) -> Dialogue:
    made = Dialogue(GuessPuzzle(TASK, "both", ATTEMPTS))
    for answer in answers:
        assert not made.over
        made.reply(answer)
    return made


def test_a_right_answer_ends_it() -> None:
    made = dialogue(WRONG, RIGHT)
    assert made.over
    assert [(turn.kind, turn.status, turn.counts) for turn in made.turns] == [
        ("valid", "not solved", True),
        ("valid", "solved", True),
    ]
    assert made.turns[1].json() == {
        "kind": "valid",
        "status": "solved",
        "counts": True,
        "solved": True,
        "record": {"guess": secret(TASK), "right": True},
    }


def test_an_answer_that_cannot_be_read_is_sent_back_once_with_the_reason() -> None:
    made = dialogue('{"guess": "five"}')
    assert not made.turns
    assert '"guess" must be a whole number' in made.messages[-1].text
    made.reply(RIGHT)
    assert [turn.kind for turn in made.turns] == ["repaired"]


@pytest.mark.parametrize(
    ("second", "kind"),
    [("still no", "malformed"), ("", "empty"), ("I'm sorry, no.", "refused"), ("I can\u2019t do that", "refused")],
)
def test_a_second_such_answer_loses_the_attempt(second: str, kind: str) -> None:
    made = dialogue("no", second)
    assert [(turn.kind, turn.counts, turn.solved) for turn in made.turns] == [(kind, True, False)]
    assert "lost" in made.messages[-1].text


def test_a_refusal_that_only_the_provider_sees_is_one() -> None:
    made = dialogue("")
    made.reply("", refused=True)
    assert [turn.kind for turn in made.turns] == ["refused"]


def test_actions_that_cannot_be_made_use_up_no_attempt_but_end_at_last() -> None:
    made = dialogue(*['{"guess": 77}'] * (MOST_TURNS_AN_ATTEMPT * ATTEMPTS))
    assert made.over
    assert not any(turn.counts for turn in made.turns)


def test_the_same_answers_give_the_same_messages_to_the_byte() -> None:
    assert prompt_digest(dialogue(WRONG, "no").messages) == prompt_digest(dialogue(WRONG, "no").messages)
    assert prompt_digest(dialogue(WRONG, "no").messages) != prompt_digest(dialogue(WRONG, "yes").messages)


def test_random_answers_score_as_chance_does() -> None:
    rng, puzzles, records, repeats = random.Random(1), GuessSet(), {}, 100
    for task_id, repeat in product(puzzles.ids, range(repeats)):
        made = Dialogue(puzzles.puzzle(task_id))
        while not made.over:
            made.reply(f'{{"guess": {rng.randint(1, HIGHEST)}}}')
        records[f"{task_id} {repeat}"] = [turn.record for turn in made.turns]
    found, chance = puzzles.scores(records), 1 / HIGHEST
    within = 1 - (1 - chance) ** ATTEMPTS
    assert found["solved_at_once"] == pytest.approx(chance, abs=4 * (chance * (1 - chance) / len(records)) ** 0.5)
    assert found["solved"] == pytest.approx(within, abs=4 * (within * (1 - within) / len(records)) ** 0.5)


def test_hostile_answers_are_all_counted() -> None:
    total = 0
    for number in range(300):
        made = Dialogue(GuessPuzzle(TASK, "text", 1))
        replies = 0
        while not made.over:
            made.reply(hostile_answer(7, number, replies))
            replies += 1
        assert 1 <= len(made.turns) <= MOST_TURNS_AN_ATTEMPT
        assert len(made.turns) <= replies <= 2 * len(made.turns)
        json.dumps([turn.json() for turn in made.turns]).encode()
        prompt_digest(made.messages)
        total += replies
    assert total >= 300


def test_a_benchmark_without_prompts_says_so() -> None:
    class Silent(Benchmark):
        name, title, summary = "silent", "Silent", "says nothing"
        spec = evaluate = result = replay = commands = None  # type: ignore[assignment]

    with pytest.raises(NoPuzzlesError, match="Silent has no prompts for language models"):
        Silent().puzzles({})
