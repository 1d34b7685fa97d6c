"""The pages in a real browser: mouse, keys, a phone; what is seen is what the simulator says."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from browser_page import DISCONNECTED, skip_to_the_end, wait_for
from page_checks import problems
from tumble import phyq
from tumble.phyq.catalogue.physics import STEP
from tumble.phyq.catalogue.science_birds_xml import to_xml
from tumble.phyq.catalogue.trajectory import Release, position_at
from tumble.phyq.generation.solutions import solution
from tumble.phyq.web.pages import Pages
from web_server import serving

if TYPE_CHECKING:
    from playwright.sync_api import Page

BOUNCE = "6.4:003"
TWO_BIRDS = "14.1:000"
YELLOW = "15.1:060"
EXPECTED = ("status of 422", DISCONNECTED)
"""What the browser reports of requests that a test makes fail."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving({"phyq": Pages()}) as found:
        yield found


def open_task(page: "Page", task_id: str) -> None:
    page.goto(f"/phyq/{task_id}")
    page.locator("#status", has_text="Draw the sling").wait_for()


def on_screen(page: "Page", task_id: str, place: tuple[float, float]) -> tuple[float, float]:
    """Where a place of the world is on the screen while the whole level is shown."""
    box = page.locator("#canvas").bounding_box()
    assert box is not None
    left, bottom, right, top = page.evaluate(
        f"async () => (await (await fetch('/phyq/api/tasks/{task_id}')).json()).view"
    )
    width, height = page.evaluate("() => [canvas.clientWidth, canvas.clientHeight]")
    scale = min(width / (right - left), height / (top - bottom))
    x = width / 2 + (place[0] - (left + right) / 2) * scale
    return box["x"] + 1 + x, box["y"] + 1 + height - (place[1] - bottom) * scale


def draw_sling(page: "Page", task_id: str, angle: float) -> None:
    """Takes the bird and draws it away, until the page shows the angle, without letting go."""
    rest = phyq.task(task_id).level.rest_point
    turn = math.radians(angle)
    page.mouse.move(*on_screen(page, task_id, rest))
    page.mouse.down()
    for far in np.arange(0.5, 2.0, 0.1):  # beyond full stretch a pixel turns it less
        away = (rest[0] - far * math.cos(turn), rest[1] - far * math.sin(turn))
        page.mouse.move(*on_screen(page, task_id, away), steps=2)
        if far > 1.0 and abs(float(page.locator("#angle").input_value()) - angle) < 0.3:
            break


def shots_of(request: Any) -> list[phyq.Shot]:
    return [phyq.Shot(**shot) for shot in request.post_data_json["shots"]]


def test_a_stored_solution_wins_with_the_mouse(page: "Page") -> None:
    (shot,) = solution(BOUNCE).shots
    open_task(page, BOUNCE)
    draw_sling(page, BOUNCE, shot.angle)
    with page.expect_response("**/api/attempts") as answered:
        page.mouse.up()
    (made,) = shots_of(answered.value.request)
    assert abs(made.angle - shot.angle) < 0.3
    assert made.stretch == 1.0
    episodes = phyq.play(phyq.task(BOUNCE).level, [[made]])
    assert episodes.won[0]
    skip_to_the_end(page)
    assert wait_for(page, "Solved") == f"Solved with 1 bird in {episodes.seconds[0]:.1f} s!"
    assert page.locator("#pigs").inner_text() == "0"
    assert page.locator("#left").inner_text() == "4"
    assert page.locator("#rule").inner_text().startswith("Bouncing: ")
    page.locator("#shoot", has_text="Next level").click()
    page.wait_for_url("**/phyq/6.4:004")


@pytest.mark.slow
def test_keys_alone_win_with_two_birds_while_things_move(page: "Page") -> None:
    first, second = solution(TWO_BIRDS).shots
    assert second.delay is not None
    open_task(page, TWO_BIRDS)
    aim_by_keys(page, first)
    page.keyboard.press("Enter")
    page.locator("#scrub:enabled").wait_for()
    page.keyboard.press(" ")
    page.locator("#scrub").fill(str(round(second.delay / STEP)))
    wait_for(page, "The red bird is ready: shoot now")
    page.locator("#canvas").focus()
    aim_by_keys(page, second)
    with page.expect_response("**/api/attempts") as answered:
        page.keyboard.press("Enter")
    assert shots_of(answered.value.request) == [first, second]
    assert answered.value.json()["status"] == "won"
    skip_to_the_end(page)
    assert wait_for(page, "Solved").startswith("Solved with 2 birds")


def aim_by_keys(page: "Page", shot: phyq.Shot) -> None:
    page.locator("#angle:enabled").wait_for()
    at = float(page.locator("#angle").input_value())
    for by, key in ((1.0, ""), (0.1, "Shift+")):
        for _ in range(int(abs(shot.angle - at) / by + 1e-6)):
            page.keyboard.press(f"{key}{'ArrowUp' if shot.angle > at else 'ArrowDown'}")
        at = float(page.locator("#angle").input_value())
    assert at == pytest.approx(shot.angle, abs=0.05)
    if at != shot.angle:
        page.locator("#angle").fill(str(shot.angle))
        page.locator("#canvas").focus()


def test_a_power_is_used_at_the_frame_that_is_seen(page: "Page") -> None:
    (shot,) = solution(YELLOW).shots
    assert shot.tap_ms is not None
    open_task(page, YELLOW)
    page.locator("#angle").fill(str(shot.angle))
    page.keyboard.press("Enter")
    page.locator("#scrub:enabled").wait_for()
    page.locator("#pause", has_text="❚❚").click()
    frame = round(shot.tap_ms / (1000 * STEP))
    page.locator("#scrub").fill(str(frame))
    with page.expect_response("**/api/attempts") as answered:
        page.locator("#tap").click()
    assert shots_of(answered.value.request) == [shot]
    assert answered.value.json()["tapped"] == [frame]
    wait_for(page, "Power used")
    assert page.locator("#scrub").input_value() == str(frame)
    skip_to_the_end(page)
    wait_for(page, "Solved")


@pytest.mark.slow
def test_the_dotted_flight_is_that_of_agents(page: "Page") -> None:
    script = """async ([shots, times, rest]) => {
        const { positionAt } = await import("/phyq/static/flight.js");
        const { rules } = await (await fetch("/phyq/api/tasks/1.1:000")).json();
        return shots.map(([angle, stretch]) => times.map((time) => positionAt({ angle, stretch }, time, rest, rules)));
    }"""
    page.goto("/phyq/")
    shots = [(-30.0, 0.4), (0.0, 1.0), (42.37, 0.913), (89.0, 1.0), (150.0, 0.7)]
    times = [0.0, 0.02, 0.5, 0.9, 3.0]
    rest = phyq.task("1.1:000").level.rest_point
    drawn = np.array(page.evaluate(script, [shots, times, list(rest)]))
    expected = np.array([position_at(Release(*shot), np.array(times), rest) for shot in shots])
    assert drawn == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
def test_five_attempts_then_a_solution_to_watch(page: "Page") -> None:
    open_task(page, BOUNCE)
    assert page.locator("#solution").is_disabled()
    for left in (4, 3, 2, 1, 0):
        page.locator("#angle").fill("10")
        page.keyboard.press("Enter")
        skip_to_the_end(page)
        wait_for(page, "Not solved")
        assert page.locator("#left").inner_text() == str(left)
        assert page.locator("#rule").is_visible() == (left == 0)
        page.locator("#canvas").focus()
        page.keyboard.press("r")
    wait_for(page, "No attempts left")
    assert page.locator("#shoot").is_disabled()
    page.reload()
    wait_for(page, "No attempts left")
    page.locator("#solution").click()
    skip_to_the_end(page)
    wait_for(page, "stored solution: 1 shot")
    assert page.locator("#pigs").inner_text() == "0"
    page.locator("#restart").click()
    wait_for(page, "Draw the sling")
    assert page.locator("#left").inner_text() == "5"


@pytest.mark.slow
def test_a_lost_connection_is_said_and_loses_nothing(page: "Page") -> None:
    open_task(page, BOUNCE)
    page.context.set_offline(True)
    page.locator("#angle").fill("10")
    page.locator("#shoot").click()
    wait_for(page, "No connection")
    assert page.locator("#left").inner_text() == "5"
    page.context.set_offline(False)
    with page.expect_response("**/api/attempts") as answered:
        page.locator("#shoot").click()
    assert shots_of(answered.value.request) == [phyq.Shot(10.0)]
    page.locator("#left", has_text="4").wait_for()


@pytest.mark.slow
def test_an_own_level_is_opened_and_errors_are_told(page: "Page", tmp_path: Path) -> None:
    good = tmp_path / "mine.xml"
    good.write_text(to_xml(phyq.task(BOUNCE).level), encoding="utf-16")
    page.goto("/phyq/")
    page.locator("#count", has_text="75 kinds").wait_for()
    script = "([name, text]) => { const t = new DataTransfer(); t.items.add(new File([text], name)); return t; }"
    dropped = page.evaluate_handle(script, ["bad.xml", "<Level/>"])
    page.dispatch_event("body", "drop", {"dataTransfer": dropped})
    page.locator("#count", has_text="bad.xml: Level needs the element GameObjects").wait_for()
    page.locator("#file").set_input_files(good)
    page.wait_for_url("**/phyq/own")
    page.locator("h1", has_text="mine.xml").wait_for()
    page.locator("#angle").fill(str(solution(BOUNCE).shots[0].angle))
    page.keyboard.press("Enter")
    skip_to_the_end(page)
    wait_for(page, "Solved")


@pytest.mark.slow
def test_a_phone_plays_without_scrolling(phone: "Page") -> None:
    open_task(phone, BOUNCE)
    assert phone.evaluate("() => document.documentElement.scrollWidth") <= 390
    for name in ("#pigs", "#canvas", "#status", "#shoot", "#scrub"):
        box = phone.locator(name).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert box["y"] + box["height"] <= 844
    x, y = on_screen(phone, BOUNCE, phyq.task(BOUNCE).level.rest_point)
    finger = phone.context.new_cdp_session(phone)
    for kind, points in (
        ("touchStart", [(x, y)]),
        ("touchMove", [(x - 10, y + 10)]),
        ("touchMove", [(x - 20, y + 30)]),
        ("touchEnd", []),
    ):
        touches = [{"x": px, "y": py} for px, py in points]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})
    skip_to_the_end(phone)
    assert "olved" in wait_for(phone, "olved")
    assert phone.locator("#left").inner_text() == "4"


@pytest.mark.slow
def test_the_wheel_zooms_and_a_drag_pans(page: "Page") -> None:
    open_task(page, BOUNCE)
    look = "() => canvas.toDataURL()"
    seen = [page.evaluate(look)]
    middle = on_screen(page, BOUNCE, (0.0, 1.0))
    page.mouse.move(*middle)
    page.mouse.wheel(0, -200)
    seen.append(page.evaluate(look))
    page.mouse.down()
    page.mouse.move(middle[0] - 80, middle[1] + 10, steps=3)
    page.mouse.up()
    seen.append(page.evaluate(look))
    assert len(set(seen)) == 3
    page.keyboard.press("0")
    assert page.evaluate(look) == seen[0]


@pytest.mark.parametrize("path", ["/phyq/", f"/phyq/{TWO_BIRDS}", "/phyq/edit"])
@pytest.mark.slow
def test_pages_are_accessible_and_light(page: "Page", path: str) -> None:
    sizes: list[int] = []
    page.on("response", lambda answer: sizes.append(int(answer.headers.get("content-length", 0))))
    page.goto(path)
    page.wait_for_load_state("networkidle")
    assert problems(page) == []
    assert sum(sizes) < 300_000
