"""Checkpoints that ask for more than they hold, or name code, are refused before PyTorch reads them."""

import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install tumble[agents]")

from tumble.learning.checkpoint import FORMAT, checkpoint_bytes, read_checkpoint
from tumble.learning.settings import TrainingError


def _archive(pickle: bytes, kind: int = zipfile.ZIP_STORED) -> bytes:
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", kind) as file:
        file.writestr("archive/data.pkl", pickle)
        file.writestr("archive/version", b"3\n")
    return checkpoint_bytes(stream.getvalue())


def _saved(content: object) -> bytes:
    stream = BytesIO()
    torch.save(content, stream)
    return checkpoint_bytes(stream.getvalue())


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (
            lambda: _archive(b"\x80\x02c__builtin__\nbytearray\nJ\xff\xff\xff\x7f\x85R."),
            "it names __builtin__ bytearray",
        ),
        (lambda: _archive(b"\x80\x02cposix\nsystem\nX\x02\0\0\0ls\x85R."), "it names posix system"),
        (lambda: _archive(b"\x80\x02](" + b"]" * 600_000 + b"e."), "more than 500,000 values"),
        (lambda: _archive(b"\x80\x02]" + b"0" * 100_000 + b".", zipfile.ZIP_DEFLATED), "packed in a way"),
        (
            lambda: _saved({"format": FORMAT, "a": torch.zeros(1).expand(1 << 20, 1 << 20)}),
            "larger than the file",
        ),
    ],
    ids=["bytes", "code", "values", "packed", "tensors"],
)
def test_a_checkpoint_that_asks_for_more_than_tensors_and_values_is_refused(
    tmp_path: Path, make: Callable[[], bytes], reason: str
) -> None:
    (tmp_path / "net.pt").write_bytes(make())
    with pytest.raises(TrainingError, match=reason):
        read_checkpoint(tmp_path / "net.pt")
