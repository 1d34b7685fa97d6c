"""The documented layout of the state is the real one, and the engine's folders import each other in one direction."""

import ast
import re
from pathlib import Path

import pytest

from tumble import engine
from tumble.engine.state import layout

ROW = re.compile(r"^    ([A-Z_]+_(?:VECS|INTS|NUMBERS)) +(\d+) +([A-Z][A-Z0-9_]+)", re.MULTILINE)
ROWS = [(size, int(index), name) for size, index, name in ROW.findall(layout.__doc__ or "")]
FOLDERS = re.findall(r"\w+", (re.search(r"^(state < .*)\.$", engine.__doc__ or "", re.MULTILINE) or [""])[0])


@pytest.mark.parametrize("size", sorted({size for size, _, _ in ROWS}))
def test_every_field_is_documented_where_it_is(size: str) -> None:
    fields = {name: index for region, index, name in ROWS if region == size}
    assert {name: getattr(layout, name) for name in fields} == fields
    documented = sorted(fields.values())
    count = getattr(layout, size) - (layout.SCRATCH_INTS - 1 if size == "HEADER_INTS" else 0)
    assert documented == list(range(count))


def test_all_regions_are_documented() -> None:
    sizes = {name for name in vars(layout) if re.fullmatch(r"[A-Z_]+_(VECS|INTS|NUMBERS)", name)} - {"SCRATCH_INTS"}
    assert {size for size, _, _ in ROWS} == sizes


def test_folders_import_only_those_before_them() -> None:
    root = Path(layout.__file__).parents[1]
    assert set(FOLDERS) == {path.name for path in root.iterdir() if (path / "__init__.py").exists()}
    for file in root.glob("*/*.py"):
        allowed = FOLDERS[: FOLDERS.index(file.parent.name) + 1]
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tumble.engine"):
                assert (node.module or "").split(".")[2] in allowed, f"{file} imports {node.module}"
