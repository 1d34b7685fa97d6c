"""What to say where PyTorch is missing, which is an extra."""

from collections.abc import Iterator
from contextlib import contextmanager

from tumble.errors import TumbleError


@contextmanager
def needs_torch(what: str) -> Iterator[None]:
    """Around imports: says that `what` needs PyTorch if it is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise TumbleError(f'{what} needs PyTorch: pip install "tumble[agents]"') from None
