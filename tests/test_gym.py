"""Gymnasium finds Tumble's environments by their id, without another import."""

import subprocess
import sys

import pytest

from test_package import first_match
from tumble.gym import register

IDS = ("tumble/PHYRE-B-v0", "tumble/PHYRE-2B-v0", "tumble/PhyQ-v1")


@pytest.mark.parametrize(
    "code",
    [
        "import gymnasium; print(gymnasium.make('tumble.gym:{}').spec.id)",
        "import gymnasium, tumble.gym; gymnasium.register_envs(tumble.gym); print(gymnasium.spec('{}').id)",
    ],
)
@pytest.mark.parametrize("name", IDS)
def test_an_id_is_found_in_a_fresh_process(name: str, code: str) -> None:
    result = subprocess.run([sys.executable, "-W", "error", "-c", code.format(name)], capture_output=True, text=True)
    assert (result.stdout, result.stderr) == (f"{name}\n", "")


def test_registering_again_changes_nothing() -> None:
    from gymnasium.envs.registration import registry

    before = dict(registry)
    register()
    assert {name: id(spec) for name, spec in registry.items()} == {name: id(spec) for name, spec in before.items()}
    assert set(IDS) <= before.keys()


def test_the_entry_point_registers_the_environments() -> None:
    named = first_match(r'^\[project.entry-points."gymnasium.envs"\]\ntumble = "(\S+)"$', "pyproject.toml")
    assert named == f"{register.__module__}:{register.__name__}"
