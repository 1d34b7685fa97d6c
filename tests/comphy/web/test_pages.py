"""What the pages load: sets without their answers, tracks, and sheets of rendered frames."""

import json
from base64 import b64decode
from collections.abc import Iterator
from io import BytesIO

import numpy as np
import pytest
from fastapi.testclient import TestClient
from PIL import Image

from tumble import comphy
from tumble.comphy.benchmark import COMPHY
from tumble.comphy.catalogue.world import DIV, PLAIN, SHOWN_FRAMES
from tumble.comphy.evaluation.published_results import TABLE_3, TABLE_8
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.web.pages import Pages
from tumble.comphy.web.played_set import known_key, make_played
from tumble.web.app import make_app
from tumble.web.options import WebOptions

SET, DIV_SET = "1-00005", "div-1-00000"
UNKNOWN = [
    "1-42",
    "01-00042",
    "1-000042",
    "-1-00042",
    "100000-00000",
    "1-0004",
    "٦-00042",
    "1-٠٠٠٤٢",
    "%2e%2e%2fpages.py",
    "plain-1-00042",
    "moon-1-00042",
    "div-1-42",
]


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    options = WebOptions(requests_per_second=1e6, burst=10**6)
    with TestClient(make_app(options, {"comphy": Pages()}), base_url="http://localhost:8000") as client:
        yield client


def test_the_benchmark_brings_its_pages() -> None:
    assert isinstance(COMPHY.pages(), Pages)


def test_an_address_is_the_set_of_the_command_line(client: TestClient) -> None:
    data = client.get(f"/comphy/api/sets/{SET}").json()
    scene = comphy.symbolic_scene(comphy.make_set(index=5, seed=1))
    (asked,) = comphy.ask_block({5: scene}, seed=1, options=comphy.SPLIT_OPTIONS["test"])
    assert [one["text"] for one in data["questions"]] == [question.text for question in asked.questions]
    for one, question in zip(data["questions"], asked.questions, strict=True):
        assert one.get("options", []) == [choice.text for choice in question.choices]
    assert (data["previous"], data["next"]) == ("1-00004", "1-00006")
    assert [video["frames"] for video in data["videos"]] == [125, 50, 50, 50, 50]


def test_nothing_is_told_before_the_answer(client: TestClient) -> None:
    data = client.get(f"/comphy/api/sets/{SET}").json()
    for question in data["questions"]:
        assert question.keys() <= {"id", "kind", "family", "text", "options", "words", "pick"}
    told = json.dumps(data) + client.get(f"/comphy/api/sets/{SET}/tracks").text
    for word in ("answer", "correct", "program", "filter_", '"mass"', '"charge"', "worlds/"):
        assert word not in told


def test_published_figures_are_those_of_the_paper(client: TestClient) -> None:
    found = client.get("/comphy/api/published").json()
    people = TABLE_3["Human"]
    assert found["people"]["factual"] == [people.factual, people.factual]
    assert found["people"]["counterfactual"] == [people.counterfactual_per_option, people.counterfactual_per_question]


def test_tracks_are_places_in_the_pictures(client: TestClient) -> None:
    videos = make_played(known_key(SET)).videos
    data = client.get(f"/comphy/api/sets/{SET}/tracks").json()
    assert [body["name"] for body in data["bodies"]] == [str(body) for body in videos.bodies]
    shown = slice(SHOWN_FRAMES)
    motions = {"target": (videos.target.positions[shown], videos.target.in_view[shown])}
    motions |= {str(k): (one.motion.positions, one.motion.in_view) for k, one in enumerate(videos.references)}
    for name, (positions, in_view) in motions.items():
        track = data[name]
        places = np.frombuffer(b64decode(track["places"]), "<f4").reshape(track["frames"], len(track["members"]), 2)
        assert np.array_equal(np.isfinite(places[..., 0]), in_view)
        assert places[in_view] == pytest.approx(CAMERA.project(positions)[in_view][:, :2], abs=1e-6)


def frames_of(sheet: bytes, width: int) -> np.ndarray:
    """float [frame, height, width, 3]: the frames on a sheet."""
    whole = np.asarray(Image.open(BytesIO(sheet)).convert("RGB"), float)
    height = width * 2 // 3
    return whole.reshape(-1, height, 5, width, 3).swapaxes(1, 2).reshape(-1, height, width, 3)


@pytest.mark.parametrize(("video", "sheet"), [("target", 4), ("2", 1)])
def test_sheets_have_the_rendered_frames_in_order(client: TestClient, video: str, sheet: int) -> None:
    answer = client.get(f"/comphy/videos/{SET}/{video}/240/{sheet}.webp")
    assert answer.headers["content-type"] == "image/webp"
    assert len(answer.content) < 80_000
    found = frames_of(answer.content, 240)
    videos = make_played(known_key(SET)).videos
    reference = videos.references[2]
    bodies = videos.bodies if video == "target" else tuple(videos.bodies[k] for k in reference.members)
    motion = videos.target if video == "target" else reference.motion
    true = comphy.render(bodies, motion, (240, 160), frames=slice(25 * sheet, 25 * sheet + 25)).rgb
    errors = np.abs(found[:, None] - true[None]).mean(axis=(2, 3, 4))
    assert np.diag(errors).max() < 2.5
    assert np.array_equal(errors.argmin(axis=1)[[0, 8, 16]], [0, 8, 16])


def test_sets_of_the_div_world_are_played(client: TestClient) -> None:
    data = client.get(f"/comphy/api/sets/{DIV_SET}").json()
    videos = comphy.make_set(0, seed=1, world="div")
    assert (data["world"], data["previous"], data["next"]) == ("div", "div-1-99999", "div-1-00001")
    for question in data["questions"]:
        assert len(question.get("options", "ab")) == 2
    words = [set(question["words"]) for question in data["questions"] if "words" in question]
    assert set(DIV.materials) in words
    assert set(PLAIN.materials) not in words
    assert data["published"]["people"]["factual"] == [TABLE_8["Human"].factual] * 2
    assert client.get("/comphy/api/published/div").json() == data["published"]
    assert client.get("/comphy/api/published/moon").status_code == 404
    found = frames_of(client.get(f"/comphy/videos/{DIV_SET}/target/240/3.webp").content, 240)
    clip = comphy.clip_on(videos.bodies, videos.target, videos.stage, slice(75, 100))
    (true,) = comphy.render_clips([clip], (240, 160))
    errors = np.abs(found - true.rgb).mean(axis=(1, 2, 3))
    assert errors.max() < np.abs(found[0] - true.rgb[24]).mean()


@pytest.mark.parametrize("kind", ["factual", "predictive", "counterfactual"])
def test_questions_about_the_div_world_are_answered(client: TestClient, kind: str) -> None:
    played = make_played(known_key(DIV_SET))
    question = next(one for one in played.questions.questions if one.kind == kind)
    right = question.answer or [choice.answer for choice in question.choices]
    asked = {"set": DIV_SET, "question": question.id, "answer": right}
    told = client.post("/comphy/api/answers", json=asked).json()
    assert told["right"] is True
    if kind != "factual":
        sheet = client.get(f"{told['world']['sheets']}240/0.webp")
        assert sheet.headers["content-type"] == "image/webp"


def test_a_sharp_sheet_has_the_published_size(client: TestClient) -> None:
    answer = client.get(f"/comphy/videos/{SET}/target/480/0.webp")
    assert Image.open(BytesIO(answer.content)).size == (5 * 480, 5 * 320)


@pytest.mark.parametrize(("name", "size"), [(SET, (240, 160)), ("square", (320, 320))])
def test_pictures_for_lists(client: TestClient, name: str, size: tuple[int, int]) -> None:
    answer = client.get(f"/comphy/pictures/{name}.webp")
    assert Image.open(BytesIO(answer.content)).size == size
    assert len(answer.content) < 20_000


@pytest.mark.parametrize(
    "rest", ["target/240/5.webp", "4/240/0.webp", "target/239/0.webp", "0/240/2.webp", "-1/240/0.webp", "0/240/-1.webp",
             "0/240/\u0660.webp", "world/240/0.webp", "0/240/00.webp"]
)  # fmt: skip
def test_unknown_videos_are_not_found(client: TestClient, rest: str) -> None:
    assert client.get(f"/comphy/videos/{SET}/{rest}").status_code == 404


@pytest.mark.parametrize("name", [*UNKNOWN, "x" * 300])
@pytest.mark.parametrize(
    "path", ["{}", "api/sets/{}", "api/sets/{}/tracks", "pictures/{}.webp", "videos/{}/target/240/0.webp"]
)
def test_unknown_sets_are_not_found(client: TestClient, path: str, name: str) -> None:
    answer = client.get(f"/comphy/{path.format(name)}")
    assert answer.status_code == 404
    assert "Traceback" not in answer.text


def test_pages_and_scripts_are_served(client: TestClient) -> None:
    for path in ("/comphy/", f"/comphy/{SET}"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert "text/html" in answer.headers["content-type"]
    assert client.get("/comphy/static/play.js").status_code == 200
    assert client.get("/comphy/static/pages.py").status_code == 404
