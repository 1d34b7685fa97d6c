"""The help of the `tumble phyre` commands."""

import subprocess
import sys

import pytest
from phyre_commands import printed

COMMANDS = ("list", "show", "simulate", "explain", "sweep", "evaluate", "analyse", "import")


@pytest.mark.parametrize("command", [(), *((command,) for command in COMMANDS)])
def test_help_has_an_example(command: tuple[str, ...]) -> None:
    assert f"tumble phyre {command[0] if command else ''}" in printed(*command, "--help").partition("Example")[2]


def test_help_does_not_wait_for_warp() -> None:
    code = (
        "import sys; from typer.testing import CliRunner; from tumble.cli.app import app;"
        "done = CliRunner().invoke(app, ['phyre', '--help']);"
        "sys.exit(done.exit_code or 'warp' in sys.modules or 'tumble.engine' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
