"""Files of the repository's root as pages of the site, with links that work there."""

import posixpath
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

    `folder` is the folder of the text: "" for the root, "docs/guides" for a guide. A link to a file that has no page
    becomes plain text.
    """

    def replaced(match: re.Match[str]) -> str:
        image, text, target, anchor = match.groups(default="")
        if not target or "://" in target or target.startswith("mailto:"):
            return match[0]
        path = posixpath.normpath(posixpath.join(folder, target))
        page = path.removeprefix("docs/") if path.startswith("docs/") else TARGETS.get(path)
        if page is None:
            return text
        return f"{image}[{text}]({posixpath.relpath(page, folder.removeprefix('docs').strip('/') or '.')}{anchor})"

    markdown = LINK.sub(replaced, markdown)
    return re.sub(r'(src|href)="docs/', r'\1="', markdown) if not folder else markdown
