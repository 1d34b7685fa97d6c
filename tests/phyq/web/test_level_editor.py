"""The editor of levels in a real browser: mouse, keys, a phone; a saved file is the level that was seen."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from typer.testing import CliRunner

from browser_page import skip_to_the_end, wait_for
from tumble import phyq
from tumble.phyq.catalogue.level_files import load_level
from tumble.phyq.catalogue.science_birds_xml import to_xml
from tumble.phyq.cli.commands import app
from tumble.phyq.web.pages import Pages
from web_server import serving

if TYPE_CHECKING:
    from playwright.sync_api import Page

EXPECTED = ("status of 422",)
SOLVABLE = re.compile("^Solvable")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving({"phyq": Pages()}) as found:
        yield found


def open_editor(page: "Page", query: str = "") -> None:
    page.goto(f"/phyq/edit{query}")
    wait_for(page, "Choose a piece")


def draft(page: "Page") -> Any:
    """The level under construction."""
    return page.evaluate("() => JSON.parse(localStorage.getItem('phyq:edit')).level")


def point(page: "Page", x: float, y: float) -> tuple[float, float]:
    """Where a place of the world is on the screen while the whole level is shown."""
    script = """async ([x, y]) => {
        const { Camera } = await import("/phyq/static/camera.js");
        const { LevelDraft } = await import("/phyq/static/level_draft.js");
        const editor = await (await fetch("/phyq/api/editor")).json();
        const camera = new Camera(document.querySelector("#canvas"));
        camera.fit(new LevelDraft(JSON.parse(localStorage.getItem("phyq:edit")).level, editor).view);
        const box = camera.canvas.getBoundingClientRect();
        const [px, py] = camera.toScreen([x, y]);
        return [box.left + camera.canvas.clientLeft + px, box.top + camera.canvas.clientTop + py];
    }"""
    across, down = page.evaluate(script, [x, y])
    return across, down


def drag(page: "Page", start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=5)
    page.mouse.up()


def saved(page: "Page", folder: Path) -> Path:
    with page.expect_download() as download:
        page.locator("#save").click()
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    return file


def test_a_level_is_made_with_the_mouse_and_its_file_is_accepted(page: "Page", tmp_path: Path) -> None:
    open_editor(page)
    page.locator("#found", has_text=SOLVABLE).wait_for()
    page.locator("#shape").select_option("rect_fat")
    page.locator("#material").select_option("stone")
    page.locator("#add-blocks").click()
    wait_for(page, "Added: stone rect fat")
    page.locator("#fit").click()
    block = draft(page)["blocks"][-1]
    drag(page, point(page, block["x"], block["y"]), point(page, 1.0, block["y"] + 1.0))
    moved = draft(page)["blocks"][-1]
    assert abs(moved["x"] - 1.0) < 0.15
    assert abs(moved["y"] - block["y"] - 1.0) < 0.15
    page.locator("#findings", has_text="does not rest").wait_for()
    page.locator("#drop").click()
    page.locator("#findings", has_text="Everything rests").wait_for()
    page.locator("#colour").select_option("yellow")
    page.locator("#add-bird").click()
    assert draft(page)["birds"] == ["red", "yellow"]
    page.locator("#found", has_text=SOLVABLE).wait_for(timeout=40_000)
    with page.expect_response("**/api/attempts") as watched:
        page.locator("#watch").click()
    answer = watched.value.json()
    assert answer["status"] == "won"
    shots = watched.value.request.post_data_json["shots"]
    file = saved(page, tmp_path)
    level = load_level(file)
    episodes = phyq.play(level, [[phyq.Shot(**shot) for shot in shots]])
    assert episodes.won[0]
    assert round(float(episodes.seconds[0]), 2) == answer["seconds"]
    options = [part for shot in shots for part in ("--angle", repr(shot["angle"]))]
    taps = [part for shot in shots if "tap_ms" in shot for part in ("--tap-ms", repr(shot["tap_ms"]))]
    shown = CliRunner().invoke(app, ["show", str(file)])
    assert shown.exit_code == 0, shown.output
    if not taps:
        shot = CliRunner().invoke(app, ["shoot", str(file), *options])
        assert "won" in shot.output.lower(), shot.output
    page.locator("#new").click()
    wait_for(page, "A new level")
    page.locator("#file").set_input_files(file)
    wait_for(page, "Opened")
    assert load_level(saved(page, tmp_path)) == level


@pytest.mark.slow
def test_a_copy_of_a_task_is_its_level(page: "Page", tmp_path: Path) -> None:
    open_editor(page, "?from=12.3:000")
    assert load_level(saved(page, tmp_path)) == phyq.task("12.3:000").level


@pytest.mark.slow
def test_science_birds_xml_is_opened(page: "Page", tmp_path: Path) -> None:
    level = phyq.task("6.4:003").level
    file = tmp_path / "mine.xml"
    file.write_text(to_xml(level), encoding="utf-8")
    open_editor(page)
    page.locator("#file").set_input_files(file)
    wait_for(page, "Opened")
    assert load_level(saved(page, tmp_path)) == level
    broken = tmp_path / "broken.json"
    broken.write_text("{}", encoding="utf-8")
    page.locator("#file").set_input_files(broken)
    wait_for(page, "broken.json: ")
    assert draft(page)["pigs"]


@pytest.mark.slow
def test_everything_works_with_keys_alone(page: "Page") -> None:
    open_editor(page)
    page.locator("#canvas").focus()
    page.keyboard.press("1")
    wait_for(page, "Added: wood rect medium")
    before = draft(page)["blocks"][-1]
    for key in ("ArrowUp", "Shift+ArrowRight", "r", ",", "m"):
        page.keyboard.press(key)
    after = draft(page)["blocks"][-1]
    assert np.allclose([after["x"] - before["x"], after["y"] - before["y"]], [0.5, 0.05])
    assert (after["rotation"], after["material"]) == (95, "ice")
    page.keyboard.press("Control+z")
    assert draft(page)["blocks"][-1]["material"] == "wood"
    page.keyboard.press("Control+y")
    page.keyboard.press("d")
    assert len(draft(page)["blocks"]) == 4
    page.keyboard.press("Delete")
    assert len(draft(page)["blocks"]) == 3
    for key, field in (("2", "pigs"), ("3", "tnts"), ("4", "platforms")):
        page.keyboard.press(key)
        assert draft(page)[field]
    page.keyboard.press("n")
    wait_for(page, "Chosen: small pig")
    page.keyboard.press("Enter")
    page.wait_for_url("**/phyq/own")
    page.locator("#title", has_text="mine.json").wait_for()
    page.locator("#edit").click()
    wait_for(page, "Choose a piece")
    assert len(draft(page)["blocks"]) == 3


@pytest.mark.slow
def test_a_level_without_pigs_is_no_level(page: "Page") -> None:
    open_editor(page)
    page.locator("#canvas").focus()
    page.keyboard.press("n")
    page.keyboard.press("Delete")
    page.locator("#findings", has_text="A level needs a pig").wait_for()
    assert page.locator("#play").is_disabled()
    assert page.locator("#save").is_disabled()
    page.locator("#undo").click()
    page.locator("#findings", has_text="A valid level").wait_for()


@pytest.mark.slow
def test_let_it_settle(page: "Page") -> None:
    open_editor(page)
    page.locator("#canvas").focus()
    page.keyboard.press("1")
    page.keyboard.press("Shift+ArrowUp")
    page.locator("#settle:enabled").click()
    page.locator("#findings", has_text="Everything rests").wait_for()


@pytest.mark.slow
def test_a_platform_has_any_size(page: "Page") -> None:
    open_editor(page)
    page.locator("#add-platforms").click()
    page.locator("#width").fill("3")
    page.locator("#width").press("Enter")
    scale = draft(page)["platforms"][0]["scale_x"]
    assert abs(phyq.Platform(0.0, 0.0, scale_x=scale).size[0] - 3.0) < 0.01


@pytest.mark.slow
def test_a_phone_edits_with_a_finger(phone: "Page") -> None:
    open_editor(phone)
    assert phone.evaluate("() => document.documentElement.scrollWidth") <= 390
    phone.locator("#add-pigs").tap()
    wait_for(phone, "Added: small pig")
    phone.locator("#fit").tap()
    pig = draft(phone)["pigs"][-1]
    touch = phone.context.new_cdp_session(phone)
    for kind, place in (("touchStart", (pig["x"], pig["y"])), ("touchMove", (0.0, 2.0)), ("touchEnd", None)):
        places = [] if place is None else [dict(zip("xy", point(phone, *place), strict=True))]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})
    moved = draft(phone)["pigs"][-1]
    assert np.hypot(moved["x"], moved["y"] - 2.0) < 0.5


@pytest.mark.slow
def test_a_solution_is_watched_to_its_end(page: "Page") -> None:
    open_editor(page)
    page.locator("#watch:enabled").click()
    skip_to_the_end(page)
    assert "Shots that win" in page.locator("#status").inner_text()
    page.keyboard.press("Escape")
    page.locator("#canvas").focus()
    page.keyboard.press("Escape")
    assert page.locator("#scrub").is_disabled()
