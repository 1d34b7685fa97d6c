"""A study in a real browser: code, consent, practice, attempts by mouse, questions; two tabs; a restarted server."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from study_files import study_file, valid_actions

from browser_page import DESKTOP, PHONE, opened, skip_to_the_end, wait_for
from tumble import phyq
from tumble.benchmark import open_study
from tumble.phyq.generation.solutions import solution as phyq_solution
from tumble.phyre.catalogue.tasks_by_id import solution
from tumble.phyre.simulation.actions import placed_balls
from tumble.studies.export import ParticipantRecord, export_study, read_records
from tumble.web.study_app import make_study_app
from web_server import running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TOKEN = "a-token-for-tests"
SOLVED, HARD = "00003:000", "00013:042"
BALLS = f"""
benchmark = "phyre"
title = "Balls"
attempts = 2
practice = ["{SOLVED}"]
consent = "Your attempts are stored."
thanks = "That was all."
[tasks]
ids = ["{HARD}"]
[[questions]]
id = "how"
text = "How was it?"
options = ["good", "bad"]
required = true
[[questions]]
id = "remarks"
text = "Anything else?"
"""
YELLOW, TWO_BIRDS = "15.1:060", "14.1:000"
BIRDS = f"""
benchmark = "phyq"
title = "Birds"
attempts = 2
practice = ["{YELLOW}"]
[tasks]
setting = "tasks"
only = ["14.1"]
limit = 1
"""
EXPECTED = ("409", "404", "ERR_CONNECTION", "ERR_EMPTY_RESPONSE", "ERR_INTERNET")
"""What the browser reports of requests that a test makes fail."""


class Served:
    """A study on a server that can be stopped and started again at the same port."""

    def __init__(self, file: Path) -> None:
        self.file = file
        with open_study(file) as store:
            (self.code,) = store.invite(1)
        self._closing = ExitStack()
        self._port = 0
        self.start()

    def start(self) -> None:
        self.address = self._closing.enter_context(
            running(make_study_app(open_study(self.file), TOKEN, is_open=True), self._port)
        )
        self._port = int(self.address.rpartition(":")[2])

    def stop(self) -> None:
        self._closing.close()

    def record(self) -> ParticipantRecord:
        """What is stored of the participant."""
        with open_study(self.file) as store:
            return read_records(store)[0]


@pytest.fixture
def balls(tmp_path: Path) -> Iterator[Served]:
    served = Served(study_file(tmp_path, BALLS))
    yield served
    served.stop()


@pytest.fixture
def birds(tmp_path: Path) -> Iterator[Served]:
    served = Served(study_file(tmp_path, BIRDS))
    yield served
    served.stop()


@pytest.fixture
def page(chromium: "Browser", balls: Served) -> "Iterator[Page]":
    yield from opened(chromium, balls.address, DESKTOP, EXPECTED)


def begin(page: "Page", code: str) -> None:
    """By link, and with consent."""
    page.goto(f"/study/{code}")
    page.get_by_role("button", name="I agree").click()
    page.wait_for_url("**/study/task")
    wait_for(page, "ball should be")


def place(page: "Page", x: float, y: float) -> None:
    box = page.locator("#canvas").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + x / 256 * box["width"], box["y"] + (1 - y / 256) * box["height"])


def place_solution(page: "Page", task_id: str) -> None:
    action = solution(task_id)
    assert action is not None
    place_action(page, action)


def place_action(page: "Page", action: np.ndarray) -> None:
    ((x, y, radius),) = placed_balls(action[None])[0]
    place(page, x, y)
    page.locator("#size").fill(f"{radius:.0f}")
    page.locator("#size-value", has_text=re.compile(f"^{radius:.0f}$")).wait_for()


def run(page: "Page") -> str:
    """The outcome in words, which is seen before anything else can be done."""
    page.locator("#run:enabled").click()
    page.locator("#run", has_text="Skip to the end").click()
    return wait_for(page, "olved")


def test_a_whole_study_by_mouse_with_a_restart_in_the_middle(page: "Page", balls: Served, tmp_path: Path) -> None:
    page.goto("/study/")
    page.get_by_label("Code").fill("aaaa bbbb cccc")
    page.get_by_role("button", name="Begin", exact=True).click()
    page.locator("#message", has_text="no participant has this code").wait_for()
    page.get_by_label("Code").fill(balls.code)
    page.get_by_role("button", name="Begin", exact=True).click()
    page.locator("#consent-text", has_text="Your attempts are stored.").wait_for()
    page.get_by_role("button", name="I agree").click()
    page.wait_for_url("**/study/task")
    wait_for(page, "ball should be")
    assert page.locator("h1").inner_text().startswith("Practice 1 of 1")
    for name in ("#solution", "#agents", "#next", "#random", "#idea", "#ghosts", "a"):
        assert page.locator(name).first.is_hidden()
    page.keyboard.press("n")  # no other task
    place_solution(page, SOLVED)
    assert run(page).startswith("Solved after")
    page.locator("#run", has_text="Next task").click()
    page.locator("h1", has_text="Task 1 of 1").wait_for()
    assert page.locator("#left").inner_text() == "2"

    first, second = np.array(valid_actions("phyre", HARD, 2))
    place_action(page, first)
    balls.stop()
    page.locator("#run").click()
    wait_for(page, "No connection. Trying again")
    balls.start()
    page.locator("#run", has_text="Skip to the end").click()
    wait_for(page, "Not solved")
    page.locator("#left", has_text="1").wait_for()

    page.reload()  # resumes where it was
    page.locator("#left", has_text=re.compile("^1$")).wait_for()
    wait_for(page, "ball should be")
    place_action(page, second)
    assert "no attempts left" in run(page)
    page.locator("#run", has_text="Next task").click()
    page.wait_for_url("**/study/")
    page.get_by_role("button", name="Send").click()  # an answer is required: the browser says so
    page.get_by_label("good").check()
    page.get_by_label("Anything else?").fill("no")
    page.get_by_role("button", name="Send").click()
    page.locator("#thanks", has_text="That was all.").wait_for()
    assert page.locator("#own-code").inner_text() == balls.code

    record = balls.record()
    assert record.finished
    assert record.answers == {"how": "good", "remarks": "no"}
    assert [[attempt.solved for attempt in task.attempts] for task in record.tasks] == [[True], [False, False]]
    for task in record.tasks:
        for attempt in task.attempts:
            assert attempt.seen is not None
            (touched,), (released,) = attempt.touched_ms, attempt.released_ms
            assert touched is not None
            assert released is not None
            assert 0.0 < touched <= released
    with open_study(balls.file) as store:
        assert len(export_study(store, tmp_path / "runs")) == 1


@pytest.mark.slow
def test_two_tabs_count_an_attempt_once(page: "Page", balls: Served) -> None:
    begin(page, balls.code)
    second = page.context.new_page()
    second.goto("/study/")
    second.wait_for_url("**/study/task")
    wait_for(second, "ball should be")
    place(page, 128, 240)
    place(second, 60, 240)
    run(page)
    with second.expect_navigation():
        second.locator("#run").click()  # behind: loads where the participant is
    second.locator("#left", has_text=re.compile("^1$")).wait_for()
    attempts = balls.record().tasks[0].attempts
    assert [(one.action[0], one.released_ms) for one in attempts] == [(attempts[0].action[0], attempts[0].released_ms)]
    assert round((attempts[0].action[0] or 0.0) * 255) == 128


@pytest.mark.slow
def test_a_task_can_be_given_up_and_is_asked_about(page: "Page", balls: Served) -> None:
    begin(page, balls.code)
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.locator("#give-up").click()
    assert page.locator("h1").inner_text().startswith("Practice")
    page.once("dialog", lambda dialog: dialog.accept())
    page.locator("#give-up").click()
    page.locator("h1", has_text="Task 1 of 1").wait_for()
    assert balls.record().tasks[0].given_up


@pytest.mark.slow
def test_the_administrator_sees_progress_live(page: "Page", balls: Served) -> None:
    page.goto(f"/study/admin#{TOKEN}")
    page.locator("#summary", has_text="0 participants began").wait_for()
    assert TOKEN not in page.url
    assert page.locator("#links li").inner_text() == f"{balls.address}/study/{balls.code}"
    page.get_by_role("button", name="Add").click()
    page.locator("#links li").nth(1).wait_for()
    other = page.context.new_page()
    begin(other, balls.code)
    page.locator("#people", has_text=balls.code).wait_for(timeout=10_000)


@pytest.mark.slow
def test_a_phone_takes_part_without_scrolling_sideways(chromium: "Browser", balls: Served) -> None:
    for phone in opened(chromium, balls.address, PHONE, EXPECTED):
        phone.goto(f"/study/?code={balls.code}")
        phone.get_by_role("button", name="I agree").tap()
        wait_for(phone, "ball should be")
        assert phone.evaluate("() => document.documentElement.scrollWidth") <= 390
        for name in ("#goal", "#canvas", "#status", "#run"):
            box = phone.locator(name).bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= 844
        place_solution(phone, SOLVED)
        assert run(phone).startswith("Solved")


@pytest.mark.slow
def test_shots_taps_and_a_reload_between_two_birds(chromium: "Browser", birds: Served) -> None:
    (shot,) = phyq_solution(YELLOW).shots
    for page in opened(chromium, birds.address, DESKTOP, EXPECTED):
        page.goto(f"/study/{birds.code}")
        page.wait_for_url("**/study/task")
        wait_for(page, "Draw the sling")
        for name in ("#solution", "#next", "#again", "#file", "#rule", "a"):
            assert page.locator(name).first.is_hidden()
        page.locator("#angle").fill(str(shot.angle))
        page.locator("#shoot").click()
        wait_for(page, "flies: tap")
        assert page.locator("#scrub").is_disabled()  # while a power can be used
        page.wait_for_timeout(500)
        with page.expect_response("**/api/amendments") as answered:
            page.locator("#tap").click()
        sent = answered.value.request.post_data_json
        wait_for(page, "Power used" if answered.value.json()["tapped"][0] is not None else "Too early")
        (attempt,) = birds.record().tasks[0].attempts
        assert list(attempt.action) == sent["action"]
        made = phyq.play(phyq.task(YELLOW).level, [[phyq.Shot(shot.angle, tap_ms=sent["action"][2])]])
        assert attempt.solved == made.won[0]
        page.once("dialog", lambda dialog: dialog.accept())
        page.locator("#give-up").click()
        page.locator("h1", has_text="Task 1 of 1").wait_for()

        page.locator("#angle").fill("80")
        page.locator("#stretch").fill("0.3")
        page.locator("#shoot").click()
        skip_to_the_end(page)
        wait_for(page, "Next: the")
        page.reload()
        wait_for(page, "Next: the")
        assert page.locator("#left").inner_text() == "1"
        page.locator("#angle").fill("5")
        page.locator("#shoot").click()
        skip_to_the_end(page)
        wait_for(page, "olved")
        page.locator("#shoot", has_text="Try again").click()
        wait_for(page, "First: the")
        counted = birds.record().tasks[1]
        assert [len(one.action) for one in counted.attempts] == [10]
        assert len(counted.attempts[0].released_ms) == 2
