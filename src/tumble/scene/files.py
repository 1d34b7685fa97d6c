"""Writing a file whole or not at all."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """A temporary file beside `path` to write to; it replaces `path` if the block ends without an error."""
    target = Path(path)
    temporary = target.with_name(f".{uuid4().hex}{target.suffix}")
    try:
        yield temporary
        temporary.replace(target)
    except BaseException as error:
        with suppress(OSError):  # what failed first is what is reported
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None and error.filename in (None, str(temporary)):
            raise OSError(error.errno, error.strerror, str(target)) from error  # as when the disk is full
        raise
