"""Pages in a browser: opened by a test, and what tests of all pages do on them."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

DESKTOP: dict[str, Any] = {"viewport": {"width": 1024, "height": 768}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 3,
}
DISCONNECTED = "ERR_INTERNET_DISCONNECTED"


def opened(
    chromium: "Browser", address: str, options: dict[str, Any], expected: Sequence[str] = (DISCONNECTED,)
) -> "Iterator[Page]":
    """A new page; fails the test if a script fails on it, or reports an error that has none of the `expected` words."""
    context = chromium.new_context(base_url=address, **options)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    yield page
    context.close()
    assert [error for error in errors if not any(known in error for known in expected)] == []


def wait_for(page: "Page", text: str, seconds: float = 25.0) -> str:
    """The status line, once it has this text."""
    found = page.locator("#status", has_text=text)
    found.wait_for(timeout=1000 * seconds)
    return found.inner_text()


def skip_to_the_end(page: "Page") -> None:
    """Moves the timeline to its end."""
    page.locator("#scrub:enabled").wait_for()
    page.locator("#scrub").focus()
    page.keyboard.press("End")
