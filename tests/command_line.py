"""Runs `tumble` commands and reads what they print; tests of one benchmark bind its name as the first argument."""

from typer.testing import CliRunner, Result

from tumble.cli.app import app

runner = CliRunner(env={"COLUMNS": "160", "TERM": "dumb"})


def run(*arguments: object, typed: str | None = None) -> Result:
    """The result of a command, with `typed` as its standard input."""
    return runner.invoke(app, [*map(str, arguments)], input=typed)


def printed(*arguments: object, typed: str | None = None) -> str:
    """What a command prints on success."""
    result = run(*arguments, typed=typed)
    assert result.exit_code == 0, result.output
    return result.stdout


def refusal(*arguments: object) -> str:
    """The one-line error message of a command."""
    result = run(*arguments)
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    (line,) = [line for line in result.stderr.splitlines() if not line.startswith("Warp ")]
    return line.removeprefix("tumble: ")
