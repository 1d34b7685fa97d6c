"""The pages in a real browser: answers by mouse, keys and finger; the frames that are seen are the rendered ones."""

import re
from base64 import b64decode
from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Literal

import numpy as np
import pytest
from PIL import Image

from browser_page import wait_for
from page_checks import problems
from tumble import comphy
from tumble.comphy.agents.guessing import answer_words
from tumble.comphy.catalogue.task import Question
from tumble.comphy.web.answers import alteration_of
from tumble.comphy.web.pages import Pages
from tumble.comphy.web.played_set import PlayedSet, known_key, make_played
from web_server import serving

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

SET, PAIR_SET = "1-00005", "1-00009"
PREDICTIVE, COUNTERFACTUAL, PAIR = 3, 4, 1
"""Questions of the sets, by id."""
PICTURE = """([name]) => {
    const small = Object.assign(document.createElement("canvas"), { width: 240, height: 160 });
    const context = small.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(document.querySelector(`[data-video="${name}"] canvas`), 0, 0, 240, 160);
    return small.toDataURL().split(",")[1];
}"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving({"comphy": Pages()}) as found:
        yield found


@pytest.fixture(scope="module")
def played() -> PlayedSet:
    return make_played(known_key(SET))


def open_set(page: "Page", name: str = SET, question: int = 0) -> None:
    page.goto(f"/comphy/{name}#{question + 1}")
    page.locator("#scrub:enabled").wait_for()
    page.locator("#kind", has_text=f"Question {question + 1} of").wait_for()


def press_right(page: "Page", question: Question) -> None:
    """Chooses the right answer by keys."""
    if question.choices:
        for k, choice in enumerate(question.choices):
            if choice.answer == "correct":
                page.keyboard.press(str(k + 1))
    else:
        words, _ = answer_words(question)
        for word in (question.answer or "").split(" and "):
            page.keyboard.press(str(words.index(word) + 1))


def seen(page: "Page", video: str, frame: int) -> np.ndarray:
    """The picture of a video at a frame, [160, 240, 3]."""
    page.locator("#scrub").fill(str(frame))
    png = b64decode(page.evaluate(PICTURE, [video]))
    return np.asarray(Image.open(BytesIO(png)).convert("RGB"), float)


def choice(page: "Page", word: str) -> "Locator":
    """Where a word is chosen."""
    return page.locator(".choice .text", has_text=re.compile(f"^{word}$"))


def test_answers_by_mouse_are_right_or_wrong(page: "Page", played: PlayedSet) -> None:
    first, second = played.questions.questions[:2]
    open_set(page)
    assert page.locator("#text").inner_text() == first.text
    assert page.locator("#answer").is_disabled()
    choice(page, first.answer or "").click()
    page.locator("#answer").click()
    wait_for(page, "Right.")
    assert page.locator(".choice.right .text").inner_text() == first.answer
    assert "query_color" in page.locator("#why").inner_text()
    page.locator("#skip", has_text="Next question").click()
    assert page.locator("#text").inner_text() == second.text
    words, _ = answer_words(second)
    choice(page, next(word for word in words if word != second.answer)).click()
    page.locator("#answer").click()
    wait_for(page, f"Wrong: it is {second.answer}.")
    assert page.locator(".dot.right").count() == 1
    assert page.locator(".dot.wrong").count() == 1
    assert "1 of 2 questions right" in page.locator("#score").inner_text()


@pytest.mark.slow
def test_a_whole_set_by_keys_is_kept_and_summed_up(page: "Page", played: PlayedSet) -> None:
    open_set(page)
    for question in played.questions.questions:
        page.locator("#text", has_text=question.text).wait_for()
        press_right(page, question)
        page.keyboard.press("Enter")
        wait_for(page, "Right.")
        page.keyboard.press("Enter")
    assert wait_for(page, "Set 1-00005").startswith("Set 1-00005: 8 of 8 questions right.")
    charged = [str(body) for body in played.videos.bodies if body.is_charged]
    rows = page.locator("#why tbody tr").all_inner_texts()
    assert [row.split("\t")[0].strip() for row in rows if "neutral" not in row] == charged
    assert page.locator(".dot.right").count() == 8
    page.reload()
    page.locator(".dot.right").nth(7).wait_for()
    page.locator("#scrub:enabled").wait_for()
    page.goto("/comphy/")
    assert "100 / 100" in page.locator("#accuracy").inner_text()
    assert "· 8 of 8 right" in page.locator("#sets").inner_text()


@pytest.mark.slow
def test_a_pair_is_chosen_by_two_keys(page: "Page") -> None:
    open_set(page, PAIR_SET, PAIR)
    press_right(page, make_played(known_key(PAIR_SET)).questions.questions[PAIR])
    page.keyboard.press("Enter")
    wait_for(page, "Right.")
    page.keyboard.press("Enter")
    page.locator("#kind", has_text="Question 3 of").wait_for()


@pytest.mark.slow
def test_the_frames_are_the_rendered_ones(page: "Page", played: PlayedSet) -> None:
    open_set(page)
    videos = played.videos
    bodies = tuple(videos.bodies[k] for k in videos.references[1].members)
    for name, of, motion, frames in (
        ("target", videos.bodies, videos.target, (40, 90, 124)),
        ("1", bodies, videos.references[1].motion, (10, 49)),
    ):
        true = {frame: comphy.render(of, motion, (240, 160), frames=slice(frame, frame + 1)).rgb[0] for frame in frames}
        for frame in frames:
            errors = {other: np.abs(seen(page, name, frame) - picture).mean() for other, picture in true.items()}
            assert min(errors, key=lambda other: errors[other]) == frame
            assert errors[frame] < 4.0


@pytest.mark.slow
def test_the_counterfactual_world_plays_beside_the_target(page: "Page", played: PlayedSet) -> None:
    question = played.questions.questions[COUNTERFACTUAL]
    open_set(page, question=COUNTERFACTUAL)
    assert page.locator('[data-video="world"]').is_hidden()
    assert page.locator("#tracks").is_disabled()
    with page.expect_response("**/worlds/**/240/4.webp"):
        page.keyboard.press("Enter")  # none of the options
    wait_for(page, "Wrong: 2 of 4 options right.")
    world = page.locator('[data-video="world"]')
    assert world.locator("figcaption").inner_text() == "If the gray rubber cylinder were uncharged"
    page.wait_for_function("() => document.querySelector('#pause').textContent === '❚❚'")  # it plays
    motion = played.videos.altered[alteration_of(played, question)]
    pictures = [
        comphy.render(played.videos.bodies, one, (240, 160), frames=slice(110, 111)).rgb[0]
        for one in (motion, played.videos.target)
    ]
    for name, own in (("world", 0), ("target", 1)):
        errors = [np.abs(seen(page, name, 110) - picture).mean() for picture in pictures]
        assert errors[own] < 4.0
        assert errors[own] < errors[1 - own] / 2
    before = seen(page, "target", 110)
    page.keyboard.press("t")
    assert page.locator("#tracks").get_attribute("aria-pressed") == "true"
    assert np.abs(seen(page, "target", 110) - before).mean() > 0.2
    page.locator("#why .chips button", has_text="collide at").first.click()
    event = next(
        one
        for one in played.interpreter.scene.altered_events[alteration_of(played, question)]
        if one.kind == "collision"
    )
    assert page.locator("#scrub").input_value() == str(event.frame)


@pytest.mark.slow
def test_what_happens_next_goes_on_for_two_seconds(page: "Page", played: PlayedSet) -> None:
    open_set(page, question=PREDICTIVE)
    assert page.locator("#scrub").get_attribute("max") == "124"
    press_right(page, played.questions.questions[PREDICTIVE])
    with page.expect_response("**/worlds/**/240/1.webp"):
        page.keyboard.press("Enter")
    wait_for(page, "Right.")
    page.wait_for_function("() => document.querySelector('#pause').textContent === '❚❚'")
    assert page.locator("#scrub").get_attribute("max") == "174"
    bodies, target = played.videos.bodies, played.videos.target
    for frame in (100, 160):
        true = comphy.render(bodies, target, (240, 160), frames=slice(frame, frame + 1)).rgb[0]
        assert np.abs(seen(page, "world", frame) - true).mean() < 4.0
    page.keyboard.press("n")
    page.locator("#kind", has_text="Question").wait_for()
    assert page.locator("#scrub").get_attribute("max") == "124"


@pytest.mark.slow
def test_playback_by_keys(page: "Page") -> None:
    open_set(page)
    page.locator("#scrub").fill("60")
    page.locator("#text").click()
    page.keyboard.press(".")
    assert page.locator("#scrub").input_value() == "61"
    page.keyboard.press(",")
    page.keyboard.press(",")
    assert page.locator("#time").inner_text() == "2.36 s"
    page.keyboard.press("s")
    assert page.locator("#speed").input_value() == "0.5"
    page.keyboard.press(" ")
    page.wait_for_function("() => Number(document.querySelector('#scrub').value) > 62")
    page.keyboard.press(" ")
    assert page.locator("#pause").inner_text() == "▶"
    page.keyboard.press("v")
    assert page.locator("figure.big:visible").get_attribute("data-video") == "0"
    page.locator('[data-video="2"] button').click()
    assert page.locator("figure.big:visible").get_attribute("data-video") == "2"


@pytest.mark.slow
def test_a_lost_connection_is_said_and_loses_nothing(page: "Page", played: PlayedSet) -> None:
    open_set(page)
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    press_right(page, played.questions.questions[0])
    page.keyboard.press("Enter")
    wait_for(page, "No connection")
    page.context.set_offline(False)
    page.keyboard.press("Enter")
    wait_for(page, "Right.")


@pytest.mark.slow
def test_a_phone_answers_without_scrolling(phone: "Page", played: PlayedSet) -> None:
    open_set(phone, question=2)
    assert phone.evaluate("() => document.documentElement.scrollWidth") <= 390
    for name in ('[data-video="target"]', '[data-video="3"]', "#scrub", "#text", "#options", "#answer"):
        box = phone.locator(name).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert box["y"] + box["height"] <= 844
    question = played.questions.questions[2]
    choice(phone, question.answer or "").tap()
    phone.locator("#answer").tap()
    wait_for(phone, "Right.")
    assert phone.evaluate("() => document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
@pytest.mark.parametrize("path", ["/comphy/", f"/comphy/{SET}#4"])
@pytest.mark.slow
def test_pages_are_accessible_and_light(page: "Page", path: str, scheme: Literal["light", "dark"]) -> None:
    sizes: dict[str, int] = {}
    page.on("response", lambda answer: sizes.update({answer.url: int(answer.headers.get("content-length", 0))}))
    page.emulate_media(color_scheme=scheme)
    page.goto(path)
    page.wait_for_load_state("networkidle")
    assert problems(page) == []
    assert sum(size for url, size in sizes.items() if url.startswith("http") and not url.endswith(".webp")) < 50_000
    if "#" in path:
        page.keyboard.press("Enter")
        wait_for(page, "options right")
        assert problems(page, was_used=True) == []
