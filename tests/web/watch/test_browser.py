"""The pages for watching in a real browser: from the list to a replay, two runs beside each other, a phone."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from browser_page import skip_to_the_end
from page_checks import problems
from tumble.phyq.web.pages import Pages as PhyQPages
from tumble.phyre.web.pages import Pages as PhyrePages
from tumble.runs.log import Log, logs_in
from tumble.web.watch_index import run_id_of
from watch_runs import LEVELS, phyq_runs, phyre_runs
from web_server import serving

if TYPE_CHECKING:
    from playwright.sync_api import Page

LOOK = "(k) => document.querySelectorAll('canvas')[k].toDataURL()"
BROWSER_OPTIONS = {"reduced_motion": "reduce"}
SAME = "✓ The replay equals the log."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = phyq_runs(phyre_runs(tmp_path_factory.mktemp("runs")))
    (runs / "broken.jsonl").write_text("nothing\n")
    return runs


@pytest.fixture(scope="module")
def logs(folder: Path) -> dict[str, Log]:
    """By agent."""
    return {log.header.agent: log for log in logs_in([folder])[0]}


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with serving({"phyre": PhyrePages(), "phyq": PhyQPages()}, folder) as found:
        yield found


def run_id(log: Log, folder: Path) -> str:
    return run_id_of(log.path.relative_to(folder).as_posix())


def in_address(page: "Page") -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def wait_for_replays(page: "Page", count: int) -> None:
    """Waits until this number of panels has replayed their attempts."""
    seen = f"document.querySelectorAll('.check.good').length === {count}"
    page.wait_for_function(f"() => !document.querySelector('.panels.loading') && {seen}")
    assert page.locator(".check.good").all_inner_texts() == [SAME] * count


def open_replay(page: "Page", folder: Path, log: Log, task: str, beside: Log | None = None) -> None:
    query = f"task={task}" + (f"&beside={run_id(beside, folder)}" if beside else "")
    page.goto(f"/watch/{run_id(log, folder)}/replay?{query}")
    wait_for_replays(page, 2 if beside else 1)


def test_from_the_first_page_to_an_attempt(page: "Page", folder: Path, logs: dict[str, Log]) -> None:
    log = logs["rand"]
    task, rows = next((task, rows) for task, rows in log.tasks.items() if len(rows) > 1)
    page.goto("/")
    page.get_by_role("link", name="Watch").click()
    page.locator("#search").fill("phyre rand")
    page.locator("#count", has_text="1 of 6 runs").wait_for()
    page.get_by_role("link", name="rand", exact=True).click()
    page.locator("#summary", has_text="AUCCESS").wait_for()
    page.locator("#search").fill(task)
    page.locator(f"#groups a[aria-label^='Task {task}']").click()
    wait_for_replays(page, 1)
    shown = in_address(page)
    assert shown["task"] == task
    solved = [row["attempt"] for row in rows if row["status"] == 1]
    assert shown["attempt"] == str(solved[0] if solved else 1)
    page.locator(".dot[data-attempt='1']").click()
    page.locator(".number", has_text=f"Attempt 1 of {len(rows)}").wait_for()
    wait_for_replays(page, 1)
    start = page.evaluate(LOOK, 0)
    skip_to_the_end(page)
    assert page.evaluate(LOOK, 0) != start
    assert page.locator("#time").inner_text() == f"{int(page.locator('#scrub').get_attribute('max') or 0) / 60:.1f} s"


@pytest.mark.slow
def test_keys_do_everything(page: "Page", folder: Path, logs: dict[str, Log]) -> None:
    log = logs["rand"]
    first, second = list(log.tasks)[:2]
    page.goto(f"/watch/{run_id(log, folder)}/replay?task={first}&attempt=2")
    wait_for_replays(page, 1)
    page.keyboard.press("ArrowLeft")
    page.locator(".number", has_text="Attempt 1 of").wait_for()
    wait_for_replays(page, 1)
    assert in_address(page)["attempt"] == "1"
    page.keyboard.press("End")
    end = page.evaluate(LOOK, 0)
    page.keyboard.press("Home")
    assert page.evaluate(LOOK, 0) != end
    for _ in range(3):
        page.keyboard.press(".")
    page.keyboard.press(",")
    assert page.locator("#scrub").input_value() == "2"
    for _ in range(2):
        page.keyboard.press("s")
    assert page.locator("#speed").input_value() == "0.25"
    page.keyboard.press("Space")
    page.wait_for_function("() => Number(document.querySelector('#scrub').value) > 4")
    page.keyboard.press("Space")
    paused = page.locator("#scrub").input_value()
    page.wait_for_timeout(100)
    assert page.locator("#scrub").input_value() == paused
    page.keyboard.press("n")
    page.locator("#title", has_text=second).wait_for()
    wait_for_replays(page, 1)
    page.keyboard.press("p")
    page.locator("#title", has_text=first).wait_for()
    wait_for_replays(page, 1)
    page.go_back()
    page.locator("#title", has_text=second).wait_for()


@pytest.mark.parametrize("other", ["mem", "people"])
@pytest.mark.slow
def test_two_runs_play_together(page: "Page", folder: Path, logs: dict[str, Log], other: str) -> None:
    task = next(task for task in logs["rand"].tasks if task in logs[other].tasks)
    open_replay(page, folder, logs["rand"], task)
    page.locator("#beside option").nth(2).wait_for(state="attached")
    page.locator("#beside").select_option(run_id(logs[other], folder))
    wait_for_replays(page, 2)
    assert page.locator(".panel h2").nth(1).inner_text().startswith(other)
    before = [page.evaluate(LOOK, k) for k in (0, 1)]
    page.locator("#scrub").fill("60")
    after = [page.evaluate(LOOK, k) for k in (0, 1)]
    assert before[0] != after[0]
    assert before[1] != after[1]
    shown = in_address(page)
    assert shown["beside"] == run_id(logs[other], folder)
    page.locator("body").click(position={"x": 2, "y": 2})
    step = "Shift+ArrowLeft" if int(shown["beside_attempt"]) > 1 else "Shift+ArrowRight"
    if len(logs[other].tasks[task]) > 1:
        page.keyboard.press(step)
        page.wait_for_function(f"() => !location.search.includes('beside_attempt={shown['beside_attempt']}')")
        wait_for_replays(page, 2)
        shown = in_address(page)
    page.reload()  # the address can be shared
    wait_for_replays(page, 2)
    assert in_address(page) == shown
    if other == "people":
        assert "thought for 2.0 s" in page.locator(".told").nth(1).inner_text()


@pytest.mark.slow
def test_shots_are_replayed(page: "Page", folder: Path, logs: dict[str, Log]) -> None:
    open_replay(page, folder, logs["pig_shooter"], LEVELS[0], logs["random"])
    assert re.match(r"\d pigs? left · ", page.locator(".caption").first.inner_text())
    start = page.evaluate(LOOK, 0)
    page.locator("#scrub").fill("40")
    assert page.evaluate(LOOK, 0) != start
    page.keyboard.press("Tab")
    box = page.locator("canvas").first.bounding_box()
    assert box is not None
    flown = page.evaluate(LOOK, 0)
    page.mouse.move(box["x"] + 50, box["y"] + 50)
    page.mouse.wheel(0, -200)
    assert page.evaluate(LOOK, 0) != flown


@pytest.mark.slow
def test_a_broken_log_is_told(page: "Page", folder: Path) -> None:
    page.goto("/watch/?search=broken")
    page.get_by_role("link", name="broken.jsonl").click()
    page.locator("#summary", has_text="This log can't be shown: not a run log").wait_for()


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.slow
def test_a_phone_shows_boards_and_timeline(phone: "Page", folder: Path, logs: dict[str, Log], beside: bool) -> None:
    task = next(iter(logs["rand"].tasks))
    open_replay(phone, folder, logs["rand"], task, logs["mem"] if beside else None)
    assert phone.evaluate("() => document.documentElement.scrollWidth") <= 390
    boxes = [box for one in phone.locator("canvas").all() if (box := one.bounding_box())]
    assert len(boxes) == 1 + beside
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)
    if beside:
        assert boxes[0]["y"] == pytest.approx(boxes[1]["y"], abs=1)
    timeline = phone.locator("#scrub").bounding_box()
    assert timeline is not None
    assert timeline["y"] + timeline["height"] <= 844
    phone.locator(".dot").first.tap()
    wait_for_replays(phone, 1 + beside)
    phone.locator(".stepper button").nth(1).tap()
    phone.locator(".number", has_text="Attempt 2 of").first.wait_for()
    for path in ("/watch/", f"/watch/{run_id(logs['rand'], folder)}"):
        phone.goto(path)
        phone.wait_for_load_state("networkidle")
        assert phone.evaluate("() => document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("kind", ["list", "run", "replay"])
@pytest.mark.slow
def test_pages_are_accessible_and_light(page: "Page", folder: Path, logs: dict[str, Log], kind: str) -> None:
    run = run_id(logs["rand"], folder)
    path = {
        "list": "/watch/",
        "run": f"/watch/{run}",
        "replay": f"/watch/{run}/replay?task={next(iter(logs['rand'].tasks))}",
    }
    sizes: list[int] = []
    page.on("response", lambda answer: sizes.append(int(answer.headers.get("content-length", 0))))
    page.goto(path[kind])
    page.wait_for_load_state("networkidle")
    assert problems(page) == []
    assert sum(sizes) < 300_000
