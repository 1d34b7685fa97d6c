"""The editor in a real browser: mouse, keys, a phone; a saved file is the task that was seen."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from typer.testing import CliRunner

from browser_page import skip_to_the_end, wait_for
from tumble import phyre
from tumble.phyre.catalogue.template import Polygon, ball, bar, jar, sticks
from tumble.phyre.cli.commands import app
from tumble.phyre.web.pages import Pages
from web_server import serving

if TYPE_CHECKING:
    from playwright.sync_api import Page

SOLVABLE = re.compile("^Solvable")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving({"phyre": Pages()}) as found:
        yield found


def open_editor(page: "Page", query: str = "") -> None:
    page.goto(f"/phyre/edit{query}")
    wait_for(page, "Choose a body")


def point(page: "Page", x: float, y: float) -> tuple[float, float]:
    """Where a pixel of the scene is on the screen."""
    box = page.locator("#canvas").bounding_box()
    assert box is not None
    return box["x"] + x / 256 * box["width"], box["y"] + (1 - y / 256) * box["height"]


def drag(page: "Page", start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*point(page, *start))
    page.mouse.down()
    page.mouse.move(*point(page, *end), steps=5)
    page.mouse.up()


def draft(page: "Page") -> Any:
    """The task under construction."""
    return page.evaluate("() => JSON.parse(localStorage.getItem('phyre:edit')).task")


def saved(page: "Page", folder: Path) -> Path:
    with page.expect_download() as download:
        page.locator("#save").click()
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    return file


def test_a_task_is_made_with_the_mouse_and_its_file_is_accepted(page: "Page", tmp_path: Path) -> None:
    open_editor(page)
    page.locator("#found", has_text=SOLVABLE).wait_for()
    page.locator("#add-jar").click()
    wait_for(page, "Added: jar")
    x, y = draft(page)["scene"]["bodies"][-1]["position"]
    drag(page, (x, y), (190.0, 60.0))
    body = draft(page)["scene"]["bodies"][-1]
    assert abs(body["position"][0] - 190.0) < 5.0
    assert abs(body["position"][1] - 60.0) < 5.0
    page.locator("#as-b").click()
    page.locator("#goal", has_text="the jar").wait_for()
    page.locator("#findings", has_text="A valid task").wait_for()
    page.locator("#id").fill("my-jar:001")
    page.locator("#id").press("Enter")
    page.locator("#found", has_text=SOLVABLE).wait_for(timeout=40_000)
    page.locator("#watch").click()
    with page.expect_response("**/own/attempts") as watched:
        page.keyboard.press("Escape")
        page.locator("#watch").click()
    answer = watched.value.json()
    assert answer["solved"]
    file = saved(page, tmp_path)
    task = phyre.official.load(file)["my-jar:001"]
    attempt = phyre.Simulator([task]).simulate(task, answer["action"])
    assert (attempt.status, attempt.steps) == (answer["status"], answer["steps"])
    shown = CliRunner().invoke(app, ["show", str(file)])
    assert shown.exit_code == 0, shown.output
    numbers = [repr(number) for number in answer["action"]]
    simulated = CliRunner().invoke(app, ["simulate", f"{file}#my-jar:001", *numbers])
    assert "Solved after" in simulated.output
    page.locator("#new").click()
    wait_for(page, "A new task")
    assert draft(page)["id"] == "mine:000"
    page.locator("#file").set_input_files(file)
    wait_for(page, "Opened")
    assert draft(page)["id"] == "my-jar:001"
    assert phyre.official.load(saved(page, tmp_path))["my-jar:001"] == task


@pytest.mark.slow
def test_a_copy_of_a_task_is_the_task(page: "Page", tmp_path: Path) -> None:
    open_editor(page, "?from=00013:042")
    assert page.url.endswith("/phyre/edit")
    (copy,) = phyre.official.load(saved(page, tmp_path)).values()
    original = phyre.task("00013:042")
    assert (copy.id, copy.scene, copy.body, copy.other) == (
        "copy-of-00013:042",
        original.scene,
        original.body,
        original.other,
    )


@pytest.mark.slow
def test_everything_works_with_keys_alone(page: "Page") -> None:
    open_editor(page)
    page.locator("#canvas").focus()
    page.keyboard.press("1")
    wait_for(page, "Added: ball 2")
    before = draft(page)["scene"]["bodies"][-1]
    for key in ("ArrowLeft", "Shift+ArrowUp", "+", "+", ",", "m"):
        page.keyboard.press(key)
    after = draft(page)["scene"]["bodies"][-1]
    assert np.allclose(after["position"], np.add(before["position"], (-1.0, 10.0)))
    assert after["shapes"][0]["radius"] == before["shapes"][0]["radius"] + 2
    assert abs(after["angle"] - np.radians(5.0)) < 1e-12
    assert before["dynamic"]
    assert "dynamic" not in after
    page.keyboard.press("Control+z")
    assert draft(page)["scene"]["bodies"][-1]["dynamic"]
    page.keyboard.press("Control+y")
    assert "dynamic" not in draft(page)["scene"]["bodies"][-1]
    page.keyboard.press("n")
    page.keyboard.press("d")
    count = len(draft(page)["scene"]["bodies"])
    page.keyboard.press("Delete")
    assert len(draft(page)["scene"]["bodies"]) == count - 1
    page.keyboard.press("p")
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    page.wait_for_url("**/phyre/own")
    page.locator("#title", has_text="own task").wait_for()


@pytest.mark.slow
def test_handles_turn_and_size(page: "Page") -> None:
    open_editor(page)
    page.mouse.click(*point(page, 40.0, 120.0))
    wait_for(page, "Chosen: shelf")
    unit = page.evaluate("() => 256 / document.querySelector('#canvas').clientWidth")
    drag(page, (70.0, 122.56 + 26 * unit), (70.0 - 60.0, 120.0 + 60.0))  # by 45 degrees
    assert abs(draft(page)["scene"]["bodies"][4]["angle"] - np.radians(45.0)) < 1e-9
    page.locator("#angle").fill("0")
    page.locator("#angle").press("Enter")
    corner = (125.0 + 6 * unit, 120.0 - 2.56 - 6 * unit)
    drag(page, corner, (corner[0] + 20.0, corner[1]))
    width = max(x for x, _ in draft(page)["scene"]["bodies"][4]["shapes"][0]["vertices"])
    assert 73.0 < width < 77.0


@pytest.mark.slow
def test_findings_are_shown_at_once(page: "Page") -> None:
    open_editor(page)
    page.mouse.click(*point(page, 90.0, 135.0))
    wait_for(page, "Chosen: ball")
    page.locator("#y").fill("118")
    page.locator("#y").press("Enter")
    page.locator("#findings", has_text="overlap").wait_for()
    page.keyboard.press("Control+z")
    page.locator("#findings li.good", has_text="A valid task.").wait_for()
    page.locator("#relation").select_option("above")
    page.locator("#findings", has_text="the goal is met from the start").wait_for()
    page.locator("#body").select_option("")
    page.locator("#findings", has_text="no two bodies").wait_for()
    assert page.locator("#play").is_disabled()


@pytest.mark.slow
def test_work_is_kept_and_played(page: "Page") -> None:
    open_editor(page)
    page.locator("#add-box").click()
    wait_for(page, "Added: box")
    page.reload()
    wait_for(page, "Choose a body")
    assert draft(page)["scene"]["bodies"][-1]["name"] == "box"
    page.locator("#play").click()
    page.locator("#status", has_text="ball should be").wait_for()
    page.mouse.click(*point(page, 40.0, 200.0))
    with page.expect_response("**/own/attempts") as answered:
        page.locator("#run").click()
    assert answered.value.json()["balls"] == [[40, 200, 12]]
    skip_to_the_end(page)
    wait_for(page, "olved")
    page.locator("#edit").click()
    page.wait_for_url("**/phyre/edit")


@pytest.mark.slow
def test_a_file_that_is_none_is_refused(page: "Page", tmp_path: Path) -> None:
    open_editor(page)
    for name, text, message in (
        ("a.json", "{", "this is no JSON"),
        ("b.json", "{}", "this is no task"),
        ("c.json", '[{"goal": {}, "scene": {"bodies": [{}]}}]', "a body has no shapes"),
    ):
        file = tmp_path / name
        file.write_text(text, encoding="utf-8")
        page.locator("#file").set_input_files(file)
        wait_for(page, message)


DROP = """(text) => {
    const files = new DataTransfer();
    files.items.add(new File([text], "dropped.json"));
    for (const type of ["dragenter", "dragover", "drop"]) {
        document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: files }));
    }
}"""


@pytest.mark.slow
def test_a_file_is_dropped_and_undo_brings_back_the_work(page: "Page", tmp_path: Path) -> None:
    open_editor(page)
    file = tmp_path / "mine.json"
    phyre.official.save(file, [phyre.task("00101:000")])
    page.evaluate(DROP, file.read_text(encoding="utf-8"))
    wait_for(page, "Opened: dropped.json")
    assert (draft(page)["id"], draft(page)["tier"]) == ("00101:000", "2B")
    assert page.evaluate("() => document.body.classList.contains('dropping')") is False
    page.locator("#undo").click()
    assert draft(page)["id"] == "mine:000"


@pytest.mark.slow
def test_a_phone_edits_with_a_finger(phone: "Page") -> None:
    open_editor(phone)
    assert phone.evaluate("() => document.documentElement.scrollWidth") <= 390
    phone.locator("#add-ball").tap()
    wait_for(phone, "Added: ball 2")
    x, y = draft(phone)["scene"]["bodies"][-1]["position"]
    touch = phone.context.new_cdp_session(phone)
    for kind, place in (("touchStart", (x, y)), ("touchMove", (60.0, 200.0)), ("touchEnd", None)):
        places = [] if place is None else [dict(zip("xy", point(phone, *place), strict=True))]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})
    assert np.abs(np.subtract(draft(phone)["scene"]["bodies"][-1]["position"], (60.0, 200.0))).max() < 4.0


def test_shapes_are_those_of_phyre(page: "Page") -> None:
    script = """async () => {
        const { shapesOf, kindOf } = await import("/phyre/static/shapes.js");
        const editor = await (await fetch("/phyre/api/editor")).json();
        const made = [["ball", [12.5]], ["bar", [64]], ["jar", [51.2]], ["sticks", [64]], ["box", [20, 30]]]
            .map(([kind, sizes]) => shapesOf(kind, sizes, editor));
        return made.map((shapes) => [shapes, kindOf(shapes, editor)]);
    }"""
    page.goto("/phyre/edit")
    found = page.evaluate(script)
    truth = [ball(0.1), bar(0.25), jar(0.2), sticks(0.25)]
    for (made, _), body in zip(found, truth, strict=False):
        for shape, expected in zip(made, body.shapes, strict=True):
            got = shape["vertices"] if "vertices" in shape else shape["radius"]
            want = expected.vertices if isinstance(expected, Polygon) else expected.radius
            assert np.allclose(got, want, atol=1e-9)
    assert [kind["kind"] for _, kind in found] == ["ball", "bar", "jar", "sticks", "box"]
    assert np.allclose([kind["sizes"][0] for _, kind in found], [12.5, 64.0, 51.2, 64.0, 20.0])
