"""Pictures of the pages of `tumble play`, for docs/guides/play.md and the README.

python tools/docs/play_pictures.py        writes docs/images/play-*.webp; needs Chromium (make browser)
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "images"
WIDE, HIGH = 1280, 800
"""Of the window."""
SHOWN = 960
"""Width of a picture."""
QUALITY = 80
PHYRE_TASK, PHYQ_TASK, COMPHY_SET, EDITED_TASK = "00020:000", "6.4:003", "1-00005", "00003:000"


@contextmanager
def served(runs: Path) -> Iterator[str]:
    """The address of `tumble play` in a process of its own."""
    command = [sys.executable, "-u", "-m", "tumble", "play", "--port", "0", "--no-open", "--runs", str(runs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield next(word for word in process.stdout.readline().split() if word.startswith("http"))
        finally:
            process.terminate()


def watch_to(page: Page, share: float) -> None:
    """Moves the timeline of what is shown to a share of it, and stops it there."""
    page.locator("#scrub:enabled").wait_for()
    page.evaluate(
        """share => {
            const scrub = document.querySelector("#scrub");
            scrub.value = Math.round(share * scrub.max);
            scrub.dispatchEvent(new Event("input"));
        }""",
        share,
    )
    page.wait_for_timeout(300)


def watch_solution(page: Page, first_attempt: Callable[[], None], share: float) -> None:
    """A stored solution, which can be watched after a first attempt."""
    first_attempt()
    watch_to(page, 1.0)
    page.locator("#solution:enabled").click()
    page.locator("#status", has_text="solution").wait_for()
    watch_to(page, share)


def show_phyre(page: Page) -> None:
    page.goto(f"/phyre/{PHYRE_TASK}")
    page.locator("#status", has_text="ball should be").wait_for()
    page.keyboard.press("ArrowUp")  # places a ball where it may be
    watch_solution(page, page.locator("#run").click, 0.3)


def show_phyq(page: Page) -> None:
    page.goto(f"/phyq/{PHYQ_TASK}")
    watch_solution(page, page.locator("#shoot:enabled").click, 0.25)


def show_comphy(page: Page) -> None:
    """A counterfactual question, answered, with the changed world and the tracks."""
    page.goto(f"/comphy/{COMPHY_SET}")
    page.locator("#kind", has_text="Question").wait_for()
    page.locator("#dots button").last.click()
    page.locator("#options input").first.check()
    page.locator("#answer").click()
    page.locator("#why").wait_for()
    page.locator("#tracks").click()
    page.wait_for_timeout(15_000)  # the pictures of the changed world
    watch_to(page, 0.8)


def show_watch(page: Page) -> None:
    """Two agents on a level."""
    page.goto("/watch/")
    page.get_by_role("link", name="shot-ranker").click()
    page.locator("#beside option").nth(1).wait_for(state="attached")
    page.locator("#beside").select_option(index=1)
    page.locator("summary, .group, details").first.click()
    page.locator("a[href*=replay]").first.click()
    page.get_by_text("The replay equals the log").nth(1).wait_for()
    watch_to(page, 0.5)


def show_editor(page: Page) -> None:
    page.goto(f"/phyre/edit?from={EDITED_TASK}")
    page.get_by_text("valid random actions").wait_for(timeout=60_000)
    page.wait_for_timeout(8_000)


PAGES: dict[str, Callable[[Page], None]] = {
    "phyre": show_phyre,
    "phyq": show_phyq,
    "comphy": show_comphy,
    "watch": show_watch,
    "editor": show_editor,
}


def main() -> None:
    """Write the pictures and print their sizes."""
    wanted = sys.argv[1:] or list(PAGES)
    with tempfile.TemporaryDirectory() as runs, sync_playwright() as playwright:
        if "watch" in wanted:
            agents = ["--agent", "shot-ranker,bambirds_style", "--only", "3", "--limit", "1", "--runs", runs]
            subprocess.run([sys.executable, "-m", "tumble", "phyq", "evaluate", *agents], check=True)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        with served(Path(runs)) as address:
            for name in wanted:
                page = browser.new_page(base_url=address, viewport={"width": WIDE, "height": HIGH})
                PAGES[name](page)
                picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
                path = FOLDER / f"play-{name}.webp"
                picture.resize((SHOWN, SHOWN * HIGH // WIDE), Image.Resampling.LANCZOS).save(path, quality=QUALITY)
                print(f"{path.name}: {path.stat().st_size:,} bytes")
                page.close()


if __name__ == "__main__":
    main()
