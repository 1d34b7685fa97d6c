"""Files of the repository's root as pages of the site, with links that work there."""

import re
from pathlib import Path

PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "LICENSE": "licence.md",
}
"""Files of the root, and their names in the site."""
TARGETS = {**PAGES, "benchmarks/results": "results.md"}
WITHOUT_MENU = "---\nhide: [navigation]\n---\n\n"
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)")


def page(file: Path) -> str:
    """A file of the root as a page; a licence keeps its line breaks."""
    text = file.read_text(encoding="utf-8")
    if file.suffix != ".md":
        return f"# Licence\n\n```text\n{text}```\n"
    return (WITHOUT_MENU if file.name == "README.md" else "") + site_links(text, "")


def site_links(markdown: str, folder: str) -> str:
    """The text with its links to files of the repository turned into links to pages of the site.

    `folder` is the folder of the text: "" for the root, "docs" for a guide. A link to a file that has no page becomes
    plain text.
    """

    def replaced(match: re.Match[str]) -> str:
        image, text, target, anchor = match.groups(default="")
        if not target or "://" in target or target.startswith("mailto:"):
            return match[0]
        path = _normal(f"{folder}/{target}" if folder else target)
        if path.startswith("docs/"):
            return f"{image}[{text}]({path.removeprefix('docs/')}{anchor})"
        if path in TARGETS:
            return f"{image}[{text}]({TARGETS[path]}{anchor})"
        return text

    markdown = LINK.sub(replaced, markdown)
    return re.sub(r'(src|href)="docs/', r'\1="', markdown) if not folder else markdown


def _normal(path: str) -> str:
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
