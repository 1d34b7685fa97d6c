"""The package as a whole: its version, what it ships, and which part may import which."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import metadata, version
from pathlib import Path
from zipfile import ZipFile

import tumble

ROOT = Path(__file__).resolve().parent.parent

# From the bottom up. A part may import the parts of lower layers, never one of its own layer or above.
LAYERS = [
    {"scene", "progress", "draws"},
    {"engine"},
    {"output"},
    {"runs"},
    {"report", "gym"},
    {"phyre", "phyq", "comphy"},
    {"web", "demo"},
    {"cli"},
    {"__main__"},
]
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}


def first_match(pattern: str, file: str) -> str:
    found = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
    assert found, f"{file}: nothing matches {pattern}"
    return found.group(1)


def test_one_version_everywhere() -> None:
    assert tumble.__version__ == version("tumble")
    assert tumble.__version__ == first_match(r"^version: (\S+)$", "CITATION.cff")
    assert tumble.__version__ == first_match(r"^## \[(\d\S*)\]", "CHANGELOG.md")


def test_extras() -> None:
    extras = metadata("tumble").get_all("Provides-Extra")
    assert extras is not None
    assert set(extras) == {"agents", "video", "hq", "web", "cluster", "rl", "dev", "all"}


def test_wheel_ships_the_package_its_types_and_its_licence(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    result = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    (wheel,) = tmp_path.glob("*.whl")
    names = ZipFile(wheel).namelist()
    assert "tumble/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert {name.split("/")[0] for name in names} == {"tumble", f"tumble-{tumble.__version__}.dist-info"}


def imported_modules(file: Path, source: Path) -> Iterator[str]:
    """The absolute names of everything a file imports; `from a import b` counts as `a.b`."""
    package = ["tumble", *file.relative_to(source).parent.parts]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"), str(file))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def part_of(file: Path, source: Path) -> str:
    """The part a file belongs to: its folder, or its name where it lies at the top."""
    return file.relative_to(source).parts[0].removesuffix(".py")


def upward_imports(source: Path) -> list[str]:
    """Every import under `source` that points up or sideways, as a sentence."""
    parts = {part_of(file, source) for file in source.rglob("*.py")} - {"__init__"}
    wrong = [f"{part} has no place in LAYERS" for part in sorted(parts - LEVEL.keys())]
    for file in sorted(source.rglob("*.py")):
        part = part_of(file, source)
        for module in imported_modules(file, source):
            names = module.split(".")
            if names[0] != "tumble" or len(names) < 2 or names[1] not in LEVEL:
                continue
            if names[1] != part and LEVEL[names[1]] >= LEVEL.get(part, -1):
                wrong.append(f"{file.relative_to(source)} imports {module}")
    return wrong


def test_imports_point_down() -> None:
    assert upward_imports(ROOT / "src" / "tumble") == []


def test_an_import_that_points_up_or_sideways_is_found(tmp_path: Path) -> None:
    for name, text in {
        "__init__.py": "from tumble import scene",
        "cli.py": "from tumble import __version__, engine\nimport tumble.phyre.tasks",
        "scene/shapes.py": "import numpy\nfrom . import bodies\nfrom ..engine import step",
        "engine/step.py": "import tumble.scene\nfrom .island import find\nif True:\n    from .. import runs",
        "phyre/tasks.py": "from tumble.phyq import tasks\nfrom tumble.engine import step",
        "novelty.py": "",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert upward_imports(tmp_path) == [
        "novelty has no place in LAYERS",
        "__init__.py imports tumble.scene",
        "engine/step.py imports tumble.runs",
        "phyre/tasks.py imports tumble.phyq.tasks",
        "scene/shapes.py imports tumble.engine.step",
    ]
