"""The package as a whole: its version, what it ships, and which part may import which."""

import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import metadata, version
from pathlib import Path
from zipfile import ZipFile

import pytest

import tumble
from imports import (
    ENGINE_FOLDERS,
    FOLDERS,
    MOST_FLAT_MODULES,
    PLUG_INS,
    circles,
    folder_problems,
    layer_problems,
)

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "tumble"
SHARED = (
    "cli",
    "inspect_tasks",
    "llm",
    "web",
    "leaderboard",
    "studies",
    "runs",
    "report",
    "jobs",
    "envs",
    "engine",
    "scene",
)
"""Parts that know benchmarks only through tumble.benchmark."""
REGISTRIES = (
    "agents",
    "compat",
    "report",
    "renderer",
    "staged",
    "state",
    "templates",
    "scene",
    "runs",
    "engine",
    "envs",
    "leaderboard",
    "studies",
)
"""Folders whose `__init__` has more than a docstring."""


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
    assert set(extras) == {"agents", "video", "hq", "web", "cluster", "rl", "llm", "export", "dev", "docs", "all"}


def test_wheel_ships_the_package_its_types_and_its_licence(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    result = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    (wheel,) = tmp_path.glob("*.whl")
    names = ZipFile(wheel).namelist()
    assert {"tumble/py.typed", "tumble/web/static/style.css", "tumble/phyre/web/static/play.js"} <= set(names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert {name.split("/")[0] for name in names} == {"tumble", f"tumble-{tumble.__version__}.dist-info"}


def test_imports_between_parts_point_down() -> None:
    assert layer_problems(SOURCE) == []


@pytest.mark.parametrize("package", PLUG_INS)
def test_imports_between_the_folders_of_a_benchmark_point_down(package: str) -> None:
    assert folder_problems(SOURCE, package, FOLDERS) == []


def test_imports_between_the_folders_of_the_engine_point_down() -> None:
    assert folder_problems(SOURCE, "engine", ENGINE_FOLDERS) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circles(SOURCE) == []


@pytest.mark.parametrize("part", SHARED)
def test_what_benchmarks_share_names_none_of_them(part: str) -> None:
    texts = {file: file.read_text(encoding="utf-8") for file in sorted((SOURCE / part).rglob("*.py"))}
    named = [str(file) for file, text in texts.items() if re.search(r"phyre|phy-?q|comphy", text, re.IGNORECASE)]
    assert named == []


@pytest.mark.parametrize("package", PLUG_INS)
def test_few_modules_lie_flat_in_a_benchmark(package: str) -> None:
    assert len(list((SOURCE / package).glob("*.py"))) <= MOST_FLAT_MODULES


def test_folders_say_what_they_hold_and_no_more() -> None:
    for file in SOURCE.rglob("__init__.py"):
        text = file.read_text(encoding="utf-8")
        assert text.startswith('"""'), f"{file} has no docstring"
        is_face = file.parent in (SOURCE, *(SOURCE / package for package in PLUG_INS))
        if not is_face and file.parent.name not in REGISTRIES:
            assert text.count("\n") == 1, f"{file} has more than a docstring"


@pytest.mark.parametrize("package", PLUG_INS)
def test_public_names_are_there(package: str) -> None:
    face = import_module(f"tumble.{package}")
    assert set(face.__all__) <= {*dir(face), *vars(face)}
    for name in face.__all__:
        assert getattr(face, name) is not None
    with pytest.raises(AttributeError, match="nothing_like_it"):
        face.nothing_like_it  # noqa: B018


def test_wrong_imports_are_found(tmp_path: Path) -> None:
    for name, text in {
        "__init__.py": "",
        "cli.py": "from tumble import __version__, engine\nimport tumble.phyre.catalogue",
        "scene/shapes.py": "import numpy\nfrom . import bodies\nfrom ..engine import step",
        "scene/bodies.py": "def later():\n    from tumble.scene.shapes import Shape",
        "engine/step.py": "import tumble.scene\nif True:\n    from .. import runs",
        "runs.py": "",
        "phyre/catalogue/task.py": "from tumble.phyq import catalogue\nfrom tumble.phyre.cli import show",
        "phyre/cli/show.py": "from tumble.phyre.catalogue import task",
        "phyq/catalogue.py": "",
        "novelty.py": "",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    assert layer_problems(tmp_path) == [
        "novelty has no place in LAYERS",
        "tumble.engine.step imports tumble.runs",
        "tumble.phyre.catalogue.task imports tumble.phyq.catalogue",
        "tumble.scene.shapes imports tumble.engine.step",
    ]
    assert folder_problems(tmp_path, "phyre", FOLDERS) == ["tumble.phyre.catalogue.task imports tumble.phyre.cli.show"]
    assert circles(tmp_path) == [
        ["tumble.phyre.catalogue.task", "tumble.phyre.cli.show"],
        ["tumble.scene.bodies", "tumble.scene.shapes"],
    ]
