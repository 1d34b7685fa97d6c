"""MkDocs hooks: pages that are made when the site is built, and links between files of the repository."""

import logging
from pathlib import Path
from typing import Any

import api_pages
import benchmark_pages
import gallery
import gallery_pages
import result_tables
import root_pages
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results"

log = logging.getLogger("mkdocs.hooks.tumble")


def on_files(files: Files, *, config: Any) -> Files:
    """Add the pages of the root, the galleries with their pictures, the benchmark tables and the API reference."""
    pages = {name: root_pages.page(ROOT / file) for file, name in root_pages.PAGES.items()}
    pages |= result_tables.pages(RESULTS)
    pages |= {api.path: api_pages.page(api, ROOT / "src") for api in api_pages.PAGES}
    drawn = gallery.read_manifest()
    for name, (title, text, groups) in benchmark_pages.GALLERIES.items():
        pages[f"gallery/{name}.md"] = gallery_pages.page(title, text, name, groups(), drawn)
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    if not drawn:
        log.warning("the galleries have no pictures: run tools/docs/gallery.py first")
    for key in drawn:
        for path in (gallery.picture_path(*key.split("/")), gallery.clip_path(*key.split("/"))):
            source = str(gallery.FOLDER / path)
            files.append(File.generated(config, f"gallery/{path.as_posix()}", abs_src_path=source))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: Any, files: Files) -> str:
    """Make the links of docs/ to files outside of it point to pages of the site."""
    if page.file.generated_by is not None:
        return markdown
    return root_pages.site_links(markdown, f"docs/{page.file.src_uri}".rpartition("/")[0])
