"""What every page must keep: labels, contrast, no layout shift."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page

UNLABELLED = """() => [...document.querySelectorAll("button, a, input, select, canvas, summary")]
    .filter((one) => one.offsetParent !== null && one.tabIndex >= 0)
    .filter((one) => !(one.getAttribute("aria-label") || one.textContent.trim() || one.labels?.[0]?.textContent.trim()
        || one.title))
    .map((one) => one.outerHTML.slice(0, 80))"""
LAYOUT_SHIFT = """() => new Promise((done) => {
    let sum = 0;
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) sum += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => done(sum), 200);
})"""
CONTRAST = """() => {
    const parse = (text) => (text.match(/[0-9.]+/g) ?? []).map(Number);
    const light = (colour) => colour.slice(0, 3).map((one) => one / 255)
        .map((one) => one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
        .reduce((sum, one, k) => sum + one * [0.2126, 0.7152, 0.0722][k], 0);
    const behind = (element) => {
        for (let one = element; one; one = one.parentElement) {
            const colour = parse(getComputedStyle(one).backgroundColor);
            if (colour.length === 3 || colour[3] > 0.6) return colour;
        }
        return [255, 255, 255];
    };
    return [...document.querySelectorAll("body *")]
        .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()))
        .filter((one) => one.offsetParent !== null && !one.closest(":disabled"))
        .filter((one) => {
            const [a, b] = [light(parse(getComputedStyle(one).color)), light(behind(one))].sort((x, y) => y - x);
            return (a + 0.05) / (b + 0.05) < 4.5;
        }).map((one) => one.outerHTML.slice(0, 80));
}"""
SETTLED = 250
"""Milliseconds after which colours have changed."""


def problems(page: "Page", was_used: bool = False) -> list[str]:
    """What is wrong with a page: one line each. After it was used things may have moved, as they were asked to."""
    page.wait_for_timeout(SETTLED)
    found: list[str] = [f"no label: {html}" for html in page.evaluate(UNLABELLED)]
    found += [f"poor contrast: {html}" for html in page.evaluate(CONTRAST)]
    shift: Any = page.evaluate(LAYOUT_SHIFT)
    if shift >= 0.1 and not was_used:
        found.append(f"the layout shifts by {shift:.2f}")
    if page.evaluate("() => document.documentElement.lang") != "en":
        found.append("the language is not given")
    if page.locator("h1").count() != 1:
        found.append("there is not one heading of the first level")
    if page.evaluate("() => [...document.images].some((one) => !one.hasAttribute('alt'))"):
        found.append("a picture has no alternative text")
    return found
