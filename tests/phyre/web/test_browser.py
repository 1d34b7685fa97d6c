"""The pages in a real browser: mouse, keys, a phone; what is seen is what the simulator says."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import numpy as np
import pytest

from browser_page import skip_to_the_end, wait_for
from page_checks import problems
from tumble import phyre
from tumble.phyre.catalogue.tasks_by_id import solution
from tumble.phyre.simulation.actions import placed_balls, valid
from tumble.phyre.web.pages import Pages
from web_server import serving

if TYPE_CHECKING:
    from playwright.sync_api import Page

SOLVED = "00003:000"
"""A task of tier B whose stored solution ends soon."""
TWO_BALLS = "00101:000"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving({"phyre": Pages()}) as found:
        yield found


def open_task(page: "Page", task_id: str) -> None:
    page.goto(f"/phyre/{task_id}")
    page.locator("#status", has_text="ball should be").wait_for()


def point(page: "Page", x: float, y: float) -> tuple[float, float]:
    """Where a pixel of the scene is on the screen."""
    box = page.locator("#canvas").bounding_box()
    assert box is not None
    return box["x"] + x / 256 * box["width"], box["y"] + (1 - y / 256) * box["height"]


@pytest.mark.parametrize("task_id", [SOLVED, pytest.param(TWO_BALLS, marks=pytest.mark.slow)])
def test_a_stored_solution_solves_with_the_mouse(page: "Page", task_id: str) -> None:
    action = solution(task_id)
    assert action is not None
    open_task(page, task_id)
    for x, y, radius in placed_balls(action[None])[0]:
        page.mouse.move(*point(page, 128, 250))
        page.mouse.down()
        page.mouse.move(*point(page, 90, 200), steps=3)
        page.mouse.move(*point(page, x, y), steps=3)
        page.mouse.up()
        change = radius - int(page.locator("#size").input_value())
        for _ in range(abs(int(change))):
            page.mouse.wheel(0, -30 if change > 0 else 30)
        page.locator("#size-value", has_text=re.compile(f"^{radius:.0f}$")).wait_for()
    with page.expect_response("**/api/attempts") as answered:
        page.locator("#run").click()
    sent = answered.value.request.post_data_json
    simulated = phyre.Simulator([task_id]).simulate(task_id, sent["action"])
    assert placed_balls(np.array([sent["action"]])).tolist() == placed_balls(action[None]).tolist()
    skip_to_the_end(page)
    assert wait_for(page, "Solved") == f"Solved after {simulated.steps / 60:.1f} s, with 1 attempt!"
    assert page.locator("#left").inner_text() == "99"
    page.keyboard.press("Escape")  # in the range: nothing
    page.locator("#run", has_text="Next task").click()
    page.wait_for_url(f"**/phyre/{sorted(phyre.task_ids())[sorted(phyre.task_ids()).index(task_id) + 1]}")


@pytest.mark.slow
def test_keys_alone_solve_a_task(page: "Page") -> None:
    action = solution(SOLVED)
    assert action is not None
    ((x, y, radius),) = placed_balls(action[None])[0]
    open_task(page, SOLVED)
    page.keyboard.press("ArrowUp")  # places a ball where there is room
    at = page.evaluate("() => document.querySelector('#status').textContent")
    assert at.startswith("Ready")
    page.keyboard.press("Shift+ArrowLeft")
    for _ in range(26):
        page.keyboard.press("Shift+ArrowLeft")
        page.keyboard.press("Shift+ArrowDown")
    wait_for(page, "leaves the scene")  # in the corner, where x and y are 0
    for key, count in (("ArrowRight", x), ("ArrowUp", y)):
        for _ in range(int(count) // 10):
            page.keyboard.press(f"Shift+{key}")
        for _ in range(int(count) % 10):
            page.keyboard.press(key)
    for _ in range(abs(int(radius) - 12)):
        page.keyboard.press("+" if radius > 12 else "-")
    with page.expect_response("**/api/attempts") as answered:
        page.keyboard.press("Enter")
    assert answered.value.json()["balls"] == [[x, y, radius]]
    page.keyboard.press(".")  # a frame on, paused
    for _ in range(3):
        page.keyboard.press("s")
    assert page.locator("#speed").input_value() == "0.1"
    page.keyboard.press("End")
    assert wait_for(page, "Solved").startswith("Solved after")
    page.keyboard.press("n")
    page.wait_for_url(lambda url: not url.endswith(SOLVED))


def test_a_phone_shows_goal_board_and_run_without_scrolling(phone: "Page") -> None:
    open_task(phone, SOLVED)
    width = phone.evaluate("() => document.documentElement.scrollWidth")
    assert width <= 390
    for name in ("#goal", "#canvas", "#status", "#run"):
        box = phone.locator(name).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 844
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    phone.touchscreen.tap(*point(phone, 128, 200))
    wait_for(phone, "Ready")
    phone.locator("#run").tap()
    skip_to_the_end(phone)
    assert "olved" in wait_for(phone, "olved")


@pytest.mark.slow
def test_two_fingers_change_the_size_and_not_the_place(phone: "Page") -> None:
    open_task(phone, SOLVED)
    phone.touchscreen.tap(*point(phone, 128, 200))
    wait_for(phone, "Ready")
    touch = phone.context.new_cdp_session(phone)

    def send(kind: str, *places: tuple[float, float]) -> None:
        points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(point(phone, *place) for place in places)]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", (40, 100))
    send("touchStart", (40, 100), (80, 100))
    send("touchMove", (30, 100), (90, 100))  # apart by 60 pixels, not 40
    send("touchEnd")
    phone.locator("#size-value", has_text=re.compile("^18$")).wait_for()
    with phone.expect_response("**/api/attempts") as answered:
        phone.locator("#run").tap()
    assert answered.value.json()["balls"] == [[128, 200, 18]]


def test_invalid_places_are_shown_while_dragging(page: "Page") -> None:
    open_task(page, SOLVED)
    page.mouse.move(*point(page, 128, 200))
    page.mouse.down()
    wait_for(page, "Ready")
    page.mouse.move(*point(page, 128, 5), steps=4)
    wait_for(page, "leaves the scene")
    assert page.locator("#run").is_disabled()
    page.mouse.move(*point(page, 128, 200), steps=4)
    wait_for(page, "Ready")
    page.mouse.up()
    assert page.locator("#run").is_enabled()


@pytest.mark.slow
def test_the_page_knows_valid_places_as_the_simulator_does(page: "Page") -> None:
    script = """async ([task, balls]) => {
        const { obstaclesOf, problems, actionOf } = await import("/phyre/static/placement.js");
        const { bodies, width, height } = await (await fetch(`/phyre/api/tasks/${task}`)).json();
        const places = obstaclesOf(bodies);
        return balls.map((some) => {
            const list = some.map(([x, y, radius]) => ({ x, y, radius }));
            return [actionOf(list), !problems(list, places, width, height).some(Boolean)];
        });
    }"""
    page.goto("/phyre/")
    rng = np.random.default_rng(0)
    for task_id in ("00003:000", "00010:003", "00013:042", "00101:000", "00112:005"):
        task = phyre.task(task_id)
        shape = (400, 1 if task.tier == "B" else 2)
        balls = np.stack([*rng.integers(0, 256, (2, *shape)), rng.integers(2, 33, shape)], axis=2)
        told = page.evaluate(script, [task_id, balls.tolist()])
        actions = np.clip(np.array([action for action, _ in told]), 0.0, 1.0)
        shown = np.array([fits for _, fits in told])
        truth = valid(task.scene, actions)
        assert 0 < truth.sum() < len(truth)
        assert np.array_equal(shown, truth)
        assert np.array_equal(placed_balls(actions)[shown], balls[shown])


def test_a_lost_connection_is_said_and_loses_nothing(page: "Page") -> None:
    open_task(page, SOLVED)
    page.mouse.click(*point(page, 128, 200))
    page.context.set_offline(True)
    page.locator("#run").click()
    wait_for(page, "No connection")
    page.context.set_offline(False)
    page.locator("#run").click()
    wait_for(page, "Running")


@pytest.mark.slow
def test_the_palette_changes_words_and_is_kept(page: "Page") -> None:
    open_task(page, SOLVED)
    assert "green" in page.locator("#goal").inner_text()
    page.keyboard.press("c")
    assert "yellow" in page.locator("#goal").inner_text()
    page.reload()
    page.locator("#goal", has_text="yellow").wait_for()


@pytest.mark.slow
def test_the_gallery_is_searched(page: "Page") -> None:
    page.goto("/phyre/")
    page.locator("#count", has_text="50 templates").wait_for()
    page.locator("#search").fill("vase")
    page.locator("#count", has_text="1 of 50").wait_for()
    page.locator("#search").fill("00013:042")
    page.keyboard.press("Enter")
    page.wait_for_url("**/phyre/00013:042")
    page.locator("h1", has_text="peg chains").wait_for()


@pytest.mark.slow
def test_focus_goes_from_the_scene_to_its_controls(page: "Page") -> None:
    open_task(page, SOLVED)
    page.mouse.click(*point(page, 128, 200))
    order = []
    for _ in range(12):
        order.append(page.evaluate("() => document.activeElement.id"))
        page.keyboard.press("Tab")
    found = [name for name in order if name]
    assert found[:4] == ["canvas", "run", "back", "size"]
    assert found.index("speed") < found.index("ghosts") < found.index("letters") < found.index("palette")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["/", "/phyre/", f"/phyre/{TWO_BALLS}", "/phyre/edit"])
@pytest.mark.slow
def test_pages_are_accessible(page: "Page", path: str, scheme: Literal["light", "dark"]) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(path)
    page.wait_for_load_state("networkidle")
    assert problems(page) == []
