"""The base class of all errors that are the user's doing, with texts that can be shown whatever they quote.

An error in a Python file of a user is one line that names the file and the line.
"""

import traceback
from pathlib import Path
from unicodedata import category

LONGEST_MESSAGE = 2000
HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Categories of characters that steer terminals, turn the direction of writing, break lines or have no encoding."""


class TumbleError(ValueError):
    """Wrong input, described in one line: what is wrong, where, and what would be right. Everything else is a bug."""

    def __init__(self, *parts: object) -> None:
        super().__init__(*(printable(part) if isinstance(part, str) else part for part in parts))


def printable(text: str) -> str:
    """A text as one line of limited length that every terminal and file takes, whatever input it quotes.

    >>> printable("no body named a\\nb"), printable("no agent \\x1b[2J")
    ('no body named a b', 'no agent \\\\x1b[2J')
    """
    line = " ".join(text.splitlines()) if len(text.splitlines()) > 1 or text.endswith("\n") else text
    line = visible(line)
    return line if len(line) <= LONGEST_MESSAGE else f"{line[: LONGEST_MESSAGE - 3]}..."


def visible(text: str, kept: str = "") -> str:
    """A text with all `HIDDEN` characters but those `kept` as escapes.

    >>> visible("a\\x1bb\\u202ec")
    'a\\\\x1bb\\\\u202ec'
    """
    if text.isprintable():
        return text
    return "".join(
        char.encode("unicode_escape").decode() if category(char) in HIDDEN and char not in kept else char
        for char in text
    )


def error_with_line(error: BaseException, path: str | Path | None) -> str:
    """An error as text: the file, if any, the last of its lines in the traceback if there is one, and the message.

    >>> try:
    ...     exec(compile("ratio = 1\\nratio / 0", "mine.py", "exec"))
    ... except ZeroDivisionError as error:
    ...     error_with_line(error, "mine.py")
    'mine.py, line 2: ZeroDivisionError: division by zero'
    """
    if isinstance(error, SyntaxError):
        return f"{error.filename or path}, line {error.lineno}: {type(error).__name__}: {error.msg}"
    text = str(error) if isinstance(error, TumbleError) else f"{type(error).__name__}: {error}".removesuffix(": ")
    if path is None:
        return text
    own = Path(path).resolve()
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename).resolve() == own]
    return f"{path}, line {lines[-1]}: {text}" if lines else f"{path}: {text}"
