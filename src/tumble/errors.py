"""The base class of all errors that are the user's doing."""

LONGEST_MESSAGE = 2000


class TumbleError(ValueError):
    """Wrong input, described in one line: what is wrong, where, and what would be right. Everything else is a bug."""

    def __init__(self, *parts: object) -> None:
        super().__init__(*(printable(part) if isinstance(part, str) else part for part in parts))


def printable(text: str) -> str:
    """A text as one line of limited length that every terminal and file takes, whatever input it quotes.

    >>> printable("no body named a\\nb")
    'no body named a b'
    """
    line = " ".join(text.splitlines()) if len(text.splitlines()) > 1 or text.endswith("\n") else text
    line = line.encode("utf-8", "backslashreplace").decode()  # half a surrogate pair has no encoding
    return line if len(line) <= LONGEST_MESSAGE else f"{line[: LONGEST_MESSAGE - 3]}..."
