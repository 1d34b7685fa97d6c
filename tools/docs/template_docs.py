"""A template's docstring as Markdown: the idea, then sections such as Bodies, Parameters, Goal and Solvability.

A section is a line without indentation and the indented lines below it. In a section, `name: text` is an item of a
list, deeper lines continue the item above, and text that does not begin with an item is a paragraph.
"""

import re
from dataclasses import dataclass
from inspect import cleandoc
from textwrap import dedent

ITEM = re.compile(r"([^:.;()]{1,60}): (\S.*)")


@dataclass(frozen=True)
class TemplateDoc:
    """What a docstring says."""

    idea: str
    """Its first paragraph, in one line."""
    sections: dict[str, str]
    """The rest by heading, as Markdown."""


def parse(docstring: str) -> TemplateDoc:
    """The parts of a docstring, whatever its headings are."""
    idea, _, rest = cleandoc(docstring).partition("\n\n")
    sections: dict[str, str] = {}
    for block in re.split(r"\n(?=\S)", f"\n{rest}"):
        heading, _, body = block.strip("\n").partition("\n")
        if heading.strip():
            sections[heading.strip()] = _markdown(dedent(body))
    return TemplateDoc(_one_line(idea), sections)


def _markdown(body: str) -> str:
    return "\n\n".join(_block(part) for part in re.split(r"\n\s*\n", body.strip("\n")) if part.strip())


def _block(text: str) -> str:
    lines = [_one_line(line) for line in re.split(r"\n(?! )", text)]
    is_list = any(map(ITEM.fullmatch, lines)) and (ITEM.fullmatch(lines[0]) or lines[0].endswith(":"))
    if not is_list:
        return " ".join(lines)
    parts: list[str] = []
    for line in lines:
        item = ITEM.fullmatch(line)
        parts.append(f"- **{item[1]}**: {item[2]}" if item else f"\n{line}\n")
    return "\n".join(parts).strip("\n")


def _one_line(text: str) -> str:
    return " ".join(text.split())
