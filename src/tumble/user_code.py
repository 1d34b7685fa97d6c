"""Errors in Python files of users, as one line that names the file and the line."""

import traceback
from pathlib import Path

from tumble.errors import TumbleError


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
