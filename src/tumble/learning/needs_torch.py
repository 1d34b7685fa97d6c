"""What to say where PyTorch is missing, which is an extra."""

from collections.abc import Iterator
from contextlib import contextmanager

from tumble.errors import TumbleError


@contextmanager
def needs_torch(what: str) -> Iterator[None]:
    """A context around imports: if PyTorch is not installed, the error says that `what` needs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise TumbleError(f'{what} needs PyTorch: pip install "tumble[agents]"') from None
