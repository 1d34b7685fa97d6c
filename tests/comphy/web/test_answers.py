"""What is told after an answer: by the package's own executor, and nothing before it."""

import json
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from PIL import Image

from tumble import comphy
from tumble.comphy.agents.guessing import answer_words
from tumble.comphy.catalogue.task import Question
from tumble.comphy.catalogue.world import SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.simulation.events import events_of
from tumble.comphy.web.answers import alteration_of, steps_of
from tumble.comphy.web.pages import Pages
from tumble.comphy.web.played_set import PlayedSet, SetKey, make_played
from tumble.web.app import make_app
from tumble.web.options import WebOptions

ANSWERS, SUMMARIES = "/comphy/api/answers", "/comphy/api/summaries"
KEYS = [SetKey(1, 5), SetKey(1, 9), SetKey(1, 42)]
"""Sets with all kinds of questions; the second one asks for a pair."""


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    options = WebOptions(requests_per_second=1e6, burst=10**6)
    with TestClient(make_app(options, {"comphy": Pages()}), base_url="http://localhost:8000") as client:
        yield client


@pytest.fixture(scope="module")
def sets() -> dict[SetKey, PlayedSet]:
    return {key: make_played(key) for key in KEYS}


def right(question: Question) -> Any:
    return [choice.answer for choice in question.choices] or question.answer


def wrong(question: Question) -> Any:
    if question.choices:
        flipped = {"correct": "wrong", "wrong": "correct"}
        return [flipped[question.choices[0].answer or ""], *right(question)[1:]]
    words, pick = answer_words(question)
    word = next(word for word in words if word not in (question.answer or "").split(" and "))
    return " and ".join([word] * pick)


def post(client: TestClient, key: SetKey, question: int, answer: Any) -> dict[str, Any]:
    found = client.post(ANSWERS, json={"set": str(key), "question": question, "answer": answer})
    assert found.status_code == 200, found.text
    data: dict[str, Any] = found.json()
    return data


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_what_is_told_is_what_the_executor_says(client: TestClient, sets: dict[SetKey, PlayedSet], key: SetKey) -> None:
    videos = comphy.make_set(index=key.number, seed=key.seed)
    scene = comphy.symbolic_scene(videos)
    (asked,) = comphy.ask_block({key.number: scene}, seed=key.seed, options=comphy.SPLIT_OPTIONS["test"])
    for question in asked.questions:
        truth = comphy.Interpreter(scene).answers(question)
        for answer, is_right in ((right(question), True), (wrong(question), False)):
            told = post(client, key, question.id, answer)
            assert told["right"] is is_right
            assert told["correct"] == ([True] * len(truth) if is_right else [False, *[True] * (len(truth) - 1)])
            parts = told["options"] if question.choices else [told]
            assert tuple(part["answer"] for part in parts) == truth
            verdicts = {"correct": "yes", "wrong": "no"}
            for part in parts:
                (last,) = part["steps"][-1]["items"]
                assert last["text"] == verdicts.get(part["answer"], part["answer"])


def test_steps_are_those_of_the_trace(sets: dict[SetKey, PlayedSet]) -> None:
    for played in sets.values():
        for question in played.questions.questions:
            program = question.choices[0].program + question.program if question.choices else question.program
            trace = played.interpreter.trace(program)
            steps = steps_of(played.interpreter, program)
            tokens = " ".join(step["operator"] for step in steps).split()
            assert sorted(tokens) == sorted(step.token for step in trace)
            assert steps[-1]["depth"] == 1
            by_token = {step.token: step.value for step in trace}
            for step in steps:
                assert "{" not in step["words"]
                if step["operator"].startswith(("filter_shape", "filter_color")):
                    shown = ", ".join(item["text"] for item in step["items"])
                    assert shown in [one.value.replace("none", "") for one in trace]
            assert by_token[program[-1]] == steps[-1]["items"][0]["text"]


def test_steps_point_at_bodies_and_frames(sets: dict[SetKey, PlayedSet]) -> None:
    played = sets[KEYS[0]]
    program = ("events", "objects", "filter_collision", "last", "filter_order", "query_object")
    collisions = [event for event in played.interpreter.scene.shown_events if event.kind == "collision"]
    steps = steps_of(played.interpreter, program)
    assert [step["depth"] for step in steps] == [1, 2, 1, 1, 1]
    assert [step["words"] for step in steps[:4]] == [
        "all events of the video",
        "all bodies",
        "collisions of it",
        "the last one",
    ]
    assert [(item["frame"], tuple(item["bodies"])) for item in steps[2]["items"]] == [
        (event.frame, event.bodies) for event in collisions
    ]
    assert steps[3]["items"] == steps[2]["items"][-1:]


def test_a_pair_is_told_as_two_words(client: TestClient, sets: dict[SetKey, PlayedSet]) -> None:
    question = sets[KEYS[1]].questions.questions[1]
    assert question.answer == "metal and metal"
    told = post(client, KEYS[1], 1, "metal and metal")
    assert told["right"]
    assert (told["steps"][-2]["words"], len(told["steps"][-2]["items"])) == ("both", 2)
    for answer in ("metal and rubber", "rubber and metal"):
        assert not post(client, KEYS[1], 1, answer)["right"]


def world_frames(client: TestClient, world: dict[str, Any], sheet: int) -> np.ndarray:
    answer = client.get(f"{world['sheets']}240/{sheet}.webp")
    assert answer.status_code == 200
    whole = np.asarray(Image.open(BytesIO(answer.content)).convert("RGB"), float)
    return whole.reshape(5, 160, 5, 240, 3).swapaxes(1, 2).reshape(25, 160, 240, 3)


def test_the_counterfactual_world_is_the_simulated_one(client: TestClient, sets: dict[SetKey, PlayedSet]) -> None:
    played = sets[KEYS[0]]
    question = played.questions.questions[4]
    assert question.text == "If the cylinder were uncharged, what would happen?"
    change = alteration_of(played, question)
    assert (str(played.videos.bodies[change.body]), change.change) == ("gray rubber cylinder", "uncharged")
    world = post(client, KEYS[0], 4, right(question))["world"]
    assert world["title"] == "If the gray rubber cylinder were uncharged"
    motion = played.videos.altered[change]
    seen = events_of(change.apply(played.videos.bodies), motion, 0, SHOWN_FRAMES)
    assert [(one["frame"], tuple(one["bodies"])) for one in world["events"]] == [
        (event.frame, event.bodies) for event in seen if event.kind == "collision"
    ]
    found = world_frames(client, world, 4)
    true, real = (
        comphy.render(played.videos.bodies, one, (240, 160), frames=slice(100, 125)).rgb
        for one in (motion, played.videos.target)
    )
    assert np.abs(found - true).mean() < 2.5
    assert np.abs(found - real).mean() > 2 * np.abs(found - true).mean()


def test_the_future_goes_on_where_the_target_ends(client: TestClient, sets: dict[SetKey, PlayedSet]) -> None:
    played = sets[KEYS[0]]
    world = post(client, KEYS[0], 3, right(played.questions.questions[3]))["world"]
    assert (world["first"], world["frames"]) == (SHOWN_FRAMES, TARGET_FRAMES - SHOWN_FRAMES)
    future = slice(SHOWN_FRAMES, SHOWN_FRAMES + 25)
    true = comphy.render(played.videos.bodies, played.videos.target, (240, 160), frames=future).rgb
    assert np.abs(world_frames(client, world, 0) - true).mean() < 2.5


def test_worlds_have_addresses_that_only_an_answer_tells(client: TestClient) -> None:
    told = post(client, KEYS[0], 4, ["wrong"] * 4)["world"]["sheets"]
    token = told.rstrip("/").rpartition("/")[2]
    other = post(client, KEYS[0], 5, ["wrong"] * 4)["world"]["sheets"].rstrip("/").rpartition("/")[2]
    assert len(token) == 32
    base = f"/comphy/worlds/{KEYS[0]}"
    for address in (
        f"5/{token}",
        f"4/{other}",
        f"0/{token}",
        "4/",
        f"4/{'0' * 32}",
        f"99/{token}",
        f"-1/{token}",
        "4/é",
    ):
        assert client.get(f"{base}/{address}/240/0.webp").status_code == 404
    assert client.get(f"{base}/4/{token}/240/0.webp").status_code == 200


@pytest.mark.parametrize(
    ("asked", "status", "words"),
    [
        ({"set": "1-00005", "question": 0}, 422, "answer"),
        ({"set": "1-00005", "question": 0, "answer": "pink"}, 422, "the answer is one of gray, red"),
        ({"set": "1-00005", "question": 0, "answer": 3}, 422, "answer"),
        ({"set": "1-00005", "question": 0, "answer": ["correct"]}, 422, "has 0 options"),
        ({"set": "1-00005", "question": 3, "answer": "red"}, 422, "has options"),
        ({"set": "1-00005", "question": 3, "answer": ["correct"]}, 422, "has 4 options, not 1"),
        ({"set": "1-00005", "question": 3, "answer": ["correct", "maybe", "wrong", "wrong"]}, 422, "answer"),
        ({"set": "1-00005", "question": 8, "answer": "red"}, 404, "has 8 questions"),
        ({"set": "1-00005", "question": -1, "answer": "red"}, 422, "question"),
        ({"set": "1-00005", "question": "0", "answer": "red"}, 422, "question"),
        ({"set": "1-00005", "question": 0, "answer": "red", "more": 1}, 422, "more"),
        ({"set": "1-5", "question": 0, "answer": "red"}, 422, "set"),
        ({"set": "1-00009", "question": 1, "answer": "metal"}, 422, "two, with 'and' between them, of rubber, metal"),
        ({"set": "1-00005", "question": 0, "answer": "red" * 1000}, 422, "answer"),
    ],
)  # fmt: skip
def test_answers_that_do_not_fit_are_refused_in_words(
    client: TestClient, asked: dict[str, Any], status: int, words: str
) -> None:
    found = client.post(ANSWERS, json=asked)
    assert found.status_code == status
    assert words in found.json()["error"]
    assert len(found.json()["error"]) < 300


def test_a_summary_needs_all_answers(client: TestClient, sets: dict[SetKey, PlayedSet]) -> None:
    played = sets[KEYS[0]]
    answers = [right(question) for question in played.questions.questions]
    refused = client.post(SUMMARIES, json={"set": str(KEYS[0]), "answers": answers[:-1]})
    assert (refused.status_code, refused.json()["error"]) == (422, "set 1-00005 has 8 questions; 7 are answered")
    answers[1] = wrong(played.questions.questions[1])
    data = client.post(SUMMARIES, json={"set": str(KEYS[0]), "answers": answers}).json()
    assert data["right"] == [True, False, *[True] * 6]
    charges = [body["charge"] for body in data["bodies"]]
    assert [{"negative": -1, "neutral": 0, "positive": 1}[one] for one in charges] == [
        body.charge for body in played.videos.bodies
    ]


def test_damaged_requests_never_break_the_server(client: TestClient) -> None:
    rng = np.random.default_rng(18)
    text = json.dumps({"set": "1-00005", "question": 3, "answer": ["correct", "wrong", "wrong", "wrong"]})
    for path in (ANSWERS, SUMMARIES):
        for _ in range(100):
            letters = list(text)
            for at in rng.integers(0, len(letters), 2):
                letters[at] = str(rng.choice(list('{}[]",:x-\x00é')))
            found = client.post(path, content="".join(letters), headers={"Content-Type": "application/json"})
            assert found.status_code in (200, 404, 422), found.text
