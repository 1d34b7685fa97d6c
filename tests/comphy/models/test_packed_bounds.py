"""Packed sets that unpack to more than sets take, or whose arrays do not belong together, are refused."""

import json
import lzma
from pathlib import Path
from typing import Any

import pytest
from sample_set import question_set, video_set

from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.models.data.packed_sets import pack_sets, read_packed, write_packed


@pytest.fixture
def parts(tmp_path: Path) -> tuple[dict[str, Any], bytes]:
    """The header of a file, and what follows it."""
    write_packed(tmp_path / "sound.xz", pack_sets([(video_set(k), question_set(k)) for k in range(2)]))
    head, _, body = lzma.decompress((tmp_path / "sound.xz").read_bytes()).partition(b"\n")
    return json.loads(head), body


def refusal(path: Path, head: dict[str, Any], body: bytes) -> str:
    path.write_bytes(lzma.compress(json.dumps(head).encode() + b"\n" + body, preset=0))
    assert path.stat().st_size < 1_000_000
    with pytest.raises(DataError) as error:
        read_packed(path)
    return str(error.value)


def test_files_that_unpack_to_much_more_are_refused(tmp_path: Path, parts: tuple[dict[str, Any], bytes]) -> None:
    assert "it unpacks to more than" in refusal(tmp_path / "p.xz", parts[0], bytes(100_000_000))
    assert "too many values" in refusal(
        tmp_path / "p.xz", {**parts[0], "arrays": {}}, b"[" + b"[]," * 4_000_000 + b"0]"
    )


def test_arrays_that_do_not_belong_together_are_refused(tmp_path: Path, parts: tuple[dict[str, Any], bytes]) -> None:
    head, body = parts
    for name, value, reason in (
        ("index", ["O", [2]], "index is of O"),
        ("index", ["int8", [1 << 62, 4]], "damaged"),
        ("mass", ["int8", [3, 2]], "its arrays are not those of 2 sets"),
        ("attributes", ["int8", [2, 3, 3, 1]], "attributes has the shape"),
    ):
        assert reason in refusal(tmp_path / "p.xz", {**head, "arrays": {**head["arrays"], name: value}}, body)
