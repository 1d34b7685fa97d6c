"""The gallery pages as Markdown: an overview of small pictures, then each template with picture, clip and docstring."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gallery import clip_path, picture_path
from template_docs import parse


@dataclass(frozen=True)
class Entry:
    """A template as the page shows it."""

    id: str
    title: str
    docstring: str
    notes: Mapping[str, str] = field(default_factory=dict)
    """Further sections by heading, as Markdown."""


@dataclass(frozen=True)
class Group:
    """Templates under one heading."""

    title: str
    text: str
    entries: tuple[Entry, ...]


def page(title: str, text: str, benchmark: str, groups: Iterable[Group], drawn: Mapping[str, Mapping[str, str]]) -> str:
    """The page of a benchmark; `drawn` is the manifest of its pictures."""
    parts = [f"# {title}", text]
    for group in groups:
        parts += [f"## {group.title}", group.text, _overview(benchmark, group)]
        parts += [_section(benchmark, entry, drawn.get(f"{benchmark}/{entry.id}", {})) for entry in group.entries]
    return "\n\n".join(part for part in parts if part) + "\n"


def anchor(entry: Entry) -> str:
    """The id of a template's heading."""
    return f"template-{entry.id.replace('.', '-')}"


def _overview(benchmark: str, group: Group) -> str:
    links = [
        f'<a href="#{anchor(entry)}" title="{entry.title}">'
        f'<img src="{picture_path(benchmark, entry.id).as_posix()}" alt="{entry.id}" loading="lazy"></a>'
        for entry in group.entries
    ]
    return f'<div class="overview {benchmark}">\n' + "\n".join(links) + "\n</div>"


def _section(benchmark: str, entry: Entry, drawn: Mapping[str, str]) -> str:
    doc = parse(entry.docstring)
    images = (
        f'<div class="template {benchmark}">\n'
        f'<img src="{picture_path(benchmark, entry.id).as_posix()}" alt="A task of {entry.title}" loading="lazy">\n'
        f'<img src="{clip_path(benchmark, entry.id).as_posix()}" alt="Its stored solution" loading="lazy">\n'
        "</div>"
    )
    caption = f"Task `{drawn['task']}` and its stored solution: {drawn['solution']}." if drawn else ""
    sections = {**doc.sections, **entry.notes}
    details = "\n\n".join(f"**{heading}**\n\n{text}" for heading, text in sections.items())
    folded = f'??? note "{", ".join(sections)}"\n\n{_indented(details)}' if details else ""
    heading = f"### {entry.title} {{#{anchor(entry)}}}"
    return "\n\n".join(part for part in (heading, doc.idea, images, caption, folded) if part)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in text.splitlines())
