"""The public names of `tumble.comphy`, and its errors."""

import subprocess
import sys
from importlib import import_module
from inspect import getmembers, isclass
from pathlib import Path

import tumble
from tumble import comphy
from tumble.errors import TumbleError

ROOT = Path(tumble.__file__).parent
BUGS = {"NoSetError"}
"""Errors that are not the user's doing."""


def test_every_public_name_exists() -> None:
    assert sorted(comphy.__all__) == sorted(dir(comphy))
    assert all(getattr(comphy, name) is not None for name in comphy.__all__)


def test_importing_the_package_loads_no_heavy_library() -> None:
    program = "import sys, tumble.comphy; print([m for m in ('warp', 'mujoco', 'torch', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_errors_of_users_have_one_base_class() -> None:
    folders = ("tasks", "observation", "simulation", "questions", "dataset", "generation", "agents")
    files = [file for folder in folders for file in (ROOT / "comphy" / folder).rglob("*.py")]
    modules = [import_module(".".join(("tumble", *file.relative_to(ROOT).with_suffix("").parts))) for file in files]
    errors = {
        error
        for module in modules
        for _, error in getmembers(module, isclass)
        if issubclass(error, Exception) and error.__module__.startswith("tumble.comphy")
    }
    assert len(errors) > 15
    assert {error.__name__ for error in errors if not issubclass(error, TumbleError)} == BUGS
