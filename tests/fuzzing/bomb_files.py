"""Files of at most 1 MB that ask for as much memory and time as they can: tricks by type of file.

`bombs_of` makes them from a valid file: its JSON with every list grown, its arrays and its packing with more than they
say. What only a single format allows is with that format.
"""

import io
import json
import lzma
import struct
import zipfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from mutation import arrays_of, unpacked

MOST = 1_000_000
"""Bytes of a file."""
SIZES = (8_000_000, 30_000_000)
"""Bytes of content that is packed: below and above what readers unpack."""
DEPTH = 7
"""Of lists in a JSON value that are grown."""
Tricks = Iterator[tuple[str, bytes]]
"""The names of tricks, and files."""


def bombs_of(sample: dict[str, bytes]) -> Iterator[tuple[str, dict[str, bytes]]]:
    """A sample with each of its files in turn replaced by bombs of its type."""
    for name, raw in sample.items():
        inner_name, content, pack = unpacked(name, raw)
        where = f"{name}: " if len(sample) > 1 else ""
        if inner_name == name:
            for trick, bomb in content_bombs(name, content, MOST - sum(map(len, sample.values())) + len(raw)):
                yield where + trick, {**sample, name: bomb}
            continue
        for size in SIZES:
            for trick, bomb in content_bombs(inner_name, content, size):
                packed = pack(bomb)
                if len(packed) <= MOST:
                    yield f"{where}{trick}, {len(bomb) / 1e6:.0f} MB", {**sample, name: packed}
        if name.endswith(".xz"):
            yield where + "zeros", {**sample, name: pack(content[:1] + bytes(1_000_000_000))}
            yield where + "spaces", {**sample, name: pack(b"[" + b" " * 1_000_000_000)}
            yield where + "many streams", {**sample, name: lzma.compress(b"{}", preset=0) * 15_000}
            yield where + "a large dictionary", {**sample, name: b"]" + b"\xff" * 12 + bytes(20)}


def content_bombs(name: str, content: bytes, size: int) -> Tricks:
    """Bombs in place of a file that is not packed."""
    if name.endswith(".json"):
        yield from json_texts(size)
        yield from grown(json.loads(content), size)
    elif name.endswith(".npz"):
        yield from array_files(sorted(arrays_of(content)))
    elif name.endswith(".npy"):
        yield from single_arrays()
    elif name.endswith(".xml"):
        yield from xml_texts()
    elif name.endswith(".toml"):
        yield from toml_texts()
    elif name.endswith(".bin"):
        yield from thrift_structs(size)
    elif content[:1] == b"{" and b"\n" in content:
        head, _, body = content.partition(b"\n")
        for trick, text in json_texts(size - len(body) if len(body) < size // 2 else size // 2):
            yield f"head: {trick}", text + b"\n" + body
            yield f"in the head: {trick}", head.rstrip()[:-1] + b', "more": ' + text + b"}\n" + body
            yield f"body: {trick}", head + b"\n" + text
        yield "many lines", head + b"\n" + b"{}\n" * (size // 4)
        yield "words", head + b"\n" + b"1 " * (size // 2 - len(head)) + b"\n"
        yield "a long word", head + b"\n" + b"9" * (size - 2 * len(head)) + b"\n"
        yield "empty lines", b"\n" * size


def repeated(before: bytes, item: bytes, after: bytes, size: int = MOST) -> bytes:
    """An item again and again, up to a size, between two texts."""
    return before + item * ((size - len(before) - len(after)) // len(item)) + after


def json_texts(size: int = MOST) -> Tricks:
    """JSON that any reader of JSON may be given."""
    yield "brackets", b"[" * size
    yield "braces", repeated(b"", b'{"a":', b"", size)
    for name, item in (
        ("lists", b"[],"),
        ("objects", b"{},"),
        ("small objects", b'{"a":1},'),
        ("towers", b"[" * 90 + b"]" * 90 + b","),
        ("towers of objects", b'{"a":' * 90 + b"0" + b"}" * 90 + b","),
        ("long integers", b"9" * 4299 + b","),
    ):
        yield name, repeated(b"[", item, b"0]", size)
    yield "a huge integer", b"9" * size
    yield "a long decimal", b"0." + b"7" * (size - 2)
    yield "a long text", repeated(b'"', b"\\u0000", b'"', size)
    yield "texts of brackets", repeated(b'["', b"[", b'"]', size)
    yield "many names", b"{" + b",".join(b'"%x":0' % k for k in range(size // 10)) + b"}"
    yield "a name twice", b"{" + b",".join(b'"%x":0' % k for k in range(size // 12)) + b',"ff":0}'


def grown(sample: Any, size: int) -> Tricks:
    """A sample with each of its lists, and tables of tables, grown to a size by copies of what is in it."""
    for path, items in growable(sample):
        yield "items of " + "/".join(map(str, path or ("the whole",))), with_copies(sample, path, items, size)


def growable(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The places of lists and tables that can be grown, down the first item of each."""
    if len(path) > DEPTH or not isinstance(value, list | dict) or not value:
        return
    children = list(value.items()) if isinstance(value, dict) else [(0, value[0])]
    is_table = isinstance(value, dict) and all(isinstance(child, dict | list) for _, child in children)
    if isinstance(value, list) or is_table:
        yield path, value
    for key, child in children[:1] if is_table else children:
        yield from growable(child, (*path, key))


def with_copies(sample: Any, path: Sequence[Any], items: Any, size: int) -> bytes:
    """The text of a sample with the items at a place again and again; ids in them differ."""
    mark = "@@items@@"
    outer = json.dumps(_replaced(sample, path, mark))
    room = size - len(outer)
    name, item = next(iter(items.items())) if isinstance(items, dict) else ("", items[0])
    text = json.dumps(item)
    parts: list[str] = []
    for k in range(room // (len(text) + 6) + 1):
        own = text if numbered(item, k) is item else json.dumps(numbered(item, k))
        parts.append(f'"{name}-{k}":{own}' if isinstance(items, dict) else own)
        room -= len(parts[-1]) + 1
        if room < 0:
            parts.pop()
            break
    brackets = "{}" if isinstance(items, dict) else "[]"
    return outer.replace(f'"{mark}"', brackets[0] + ",".join(parts) + brackets[1]).encode()


def _replaced(value: Any, path: Sequence[Any], other: Any) -> Any:
    if not path:
        return other
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = _replaced(value[path[0]], path[1:], other)
    return copy


def numbered(item: Any, number: int) -> Any:
    """A record with a number in its id, name or index; itself if it has none of these."""
    if not isinstance(item, dict):
        return item
    ids = {name: f"{item[name]}-{number}" for name in ("id", "name") if isinstance(item.get(name), str)}
    numbers = {name: number for name in ("scene_index", "question_id", "choice_id", "index") if name in item}
    return {**item, **ids, **numbers} if ids or numbers else item


def zipped(members: dict[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip file."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", kind, compresslevel=9) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return stream.getvalue()


def members_of(raw: bytes) -> dict[str, bytes]:
    """The members of a zip file."""
    with zipfile.ZipFile(io.BytesIO(raw)) as file:
        return {name: file.read(name) for name in file.namelist()}


def npy(shape: Sequence[int], kind: str, content: bytes = b"", header: str = "") -> bytes:
    """An .npy file whose header says what it likes."""
    text = header or f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    head = text.encode().ljust((len(text) + 73) // 64 * 64 - 10 - 1) + b"\n"
    return b"\x93NUMPY\x02\x00" + struct.pack("<I", len(head)) + head + content


def array_files(names: Sequence[str], kind: str = "<i8") -> Tricks:
    """Files of arrays (.npz) with these names."""
    zeros = bytes(min(900_000_000 // len(names), 300_000_000))

    def members(content: bytes, chosen: Sequence[str] = names) -> dict[str, bytes]:
        return {f"{name}.npy": content for name in chosen}

    big, text = npy([112_500_000], kind, bytes(900_000_000)), bytes(200_000_000)
    yield "zeros", zipped(members(npy([len(zeros) // 8], kind, zeros)))
    yield "one large array", zipped({**members(npy([1], kind, bytes(8))), f"{names[-1]}.npy": big})
    yield "wide texts", zipped(members(npy([1], f"<U{len(text) // 4}", text), names[:4]))
    yield "large shapes", zipped(members(npy([1 << 40], kind)))
    yield "negative shapes", zipped(members(npy([-1, 8], kind, bytes(64))))
    yield "objects", zipped(members(npy([3], "|O", b"\x80\x02]q\x00.")))
    yield "nested header", zipped(members(npy([1], kind, header="(" * 900_000), names[:1]))
    yield "many members", zipped({f"{k}.npy": b"" for k in range(9000)}, zipfile.ZIP_STORED)
    for trick, how in (("bzip2", zipfile.ZIP_BZIP2), ("lzma", zipfile.ZIP_LZMA)):
        yield f"members by {trick}", zipped(members(npy([len(zeros) // 8], kind, zeros), names[:2]), how)


def single_arrays() -> Tricks:
    """Files of one array (.npy)."""
    yield "a large shape", npy([1 << 40, 2, 4], "<f4")
    yield "a long header", npy([1], "<f4", header="[" * 900_000)
    yield "a pickle", npy([1], "|O", b"\x80\x02]q\x00.")
    yield "a full array", npy([62_000, 1, 4], "<f4", bytes(992_000))
    yield "no items", npy([1 << 40, 0, 4], "<f4")


def xml_texts() -> Tricks:
    """Levels in XML."""
    head = b'<Level width="2"><Birds><Bird type="BirdRed"/></Birds><GameObjects>'
    for name, before, item, after in (
        ("elements", b"<Level>", b"<a/>", b"</Level>"),
        ("towers", b"", b"<Level>", b""),
        ("a long attribute", b'<Level a="', b"&#65;", b'"/>'),
        ("a long comment", b"<Level><!--", b"- ", b"--></Level>"),
        ("an open tag", b"<Level><", b"a", b""),
        ("pigs", head, b'<Pig type="BasicSmall" x="0" y="0"/>', b"</GameObjects></Level>"),
        ("birds", b'<Level width="2"><Birds>', b'<Bird type="BirdRed"/>', b"</Birds></Level>"),
        ("long numbers", head + b'<Pig type="BasicSmall" y="0" x="', b"1", b'"/></GameObjects></Level>'),
    ):
        yield name, repeated(before, item, after)
    yield "attributes", b"<Level " + b" ".join(b'a%x=""' % k for k in range(100_000)) + b"/>"
    laughs = b"".join(b'<!ENTITY a%d "%s">' % (k, b"&a%d;" % (k - 1) * 10 if k else b"ha") for k in range(12))
    entities = b"<!DOCTYPE x [" + laughs + b"]><Level>&a11;</Level>"
    yield "entities", entities
    yield "entities in UTF-16", entities.decode().encode("utf-16")


def toml_texts() -> Tricks:
    """Studies in TOML."""
    for name, before, item, after in (
        ("names of many parts", b"", b"a.", b"a = 1"),
        ("tables of many parts", b"[", b"a.", b"a]"),
        ("spaced names of many parts", b"", b"a . ", b"a = 1"),
        ("quoted names of many parts", b"", b"''.", b"a = 1"),
        ("lines of names of 90 parts", b"", b"a." * 90 + b"a = 1\n", b""),
        ("lists", b"a = ", b"[", b""),
        ("inline tables", b"a = ", b"{a=", b""),
        ("tables of a list", b"", b"[[a]]\n", b""),
        ("a huge integer", b"a = ", b"9", b""),
    ):
        yield name, repeated(before, item, after, 520_000)
    yield "tables of 90 parts", b"".join(b"[" + b"a." * 90 + b"b%d]\n" % k for k in range(2500))
    yield "many names", b"".join(b"k%x = 1\n" % k for k in range(40_000))


def thrift_structs(size: int) -> Tricks:
    """Content in Thrift's binary protocol."""
    for count in (size // 8, size):
        length, fifth = struct.pack(">i", count), struct.pack(">i", count // 5)
        yield f"{count:,} empty structs", b"\x0f\x00\x01\x0c" + length + bytes(count) + b"\0"
        yield f"{count:,} flags", b"\x0f\x00\x01\x02" + length + b"\1" * count + b"\0"
        yield f"{count // 5:,} empty lists", b"\x0f\x00\x01\x0f" + fifth + b"\x02\0\0\0\0" * (count // 5) + b"\0"
        numbers = b"".join(b"\x03" + struct.pack(">h", k) + b"\1" for k in range(250)) + b"\0"
        many = count // len(numbers)
        yield f"{many:,} wide structs", b"\x0f\x00\x01\x0c" + struct.pack(">i", many) + numbers * many + b"\0"
        fourth = struct.pack(">i", count // 4)
        yield f"{count // 4:,} empty texts", b"\x0f\x00\x01\x0b" + fourth + bytes(count // 4 * 4) + b"\0"
    yield "towers", b"\x0f\x00\x01" + b"\x0f\0\0\0\1" * 200_000
    pairs = min(size, 40_000_000)
    yield "a map", b"\x0f\x00\x01\x0d\0\0\0\1\x03\x03" + struct.pack(">i", pairs) + bytes(2 * pairs) + b"\0"


def checkpoints(sealed: Callable[[bytes], bytes], content: dict[str, Any]) -> Tricks:
    """Checkpoints whose pickles or archives ask for more than they hold."""
    import torch

    def saved(value: object) -> bytes:
        stream = io.BytesIO()
        torch.save(value, stream)
        return stream.getvalue()

    def pickled(pickle: bytes, kind: int = zipfile.ZIP_STORED) -> bytes:
        members = {"archive/data.pkl": pickle, "archive/version": b"3\n", "archive/byteorder": b"little"}
        return sealed(zipped(members, kind))

    wide = torch.zeros(1).expand(1 << 30, 1 << 10)
    yield "expanded tensors", sealed(saved({**content, "network": {"a": wide}}))
    yield "a large array of bytes", pickled(b"\x80\x02c__builtin__\nbytearray\nJ\xff\xff\xff\x7f\x85R.")
    yield "many small values", pickled(b"\x80\x02](" + b"]" * 900_000 + b"e.")
    yield "towers", pickled(b"\x80\x02" + b"](" * 400_000 + b"e" * 400_000 + b".")
    doubling = b"\x80\x02]q\x00(K\x01e" + b"".join(b"]q%c(h%ch%ce" % (k + 1, k, k) for k in range(100)) + b"."
    yield "lists of lists that are the same", pickled(doubling)
    yield "a long whole number", pickled(b"\x80\x02\x8b" + struct.pack("<i", 900_000) + b"\x7f" * 900_000 + b".")
    yield "packed values", pickled(b"\x80\x02](" + b"]" * 300_000_000 + b"e.", zipfile.ZIP_DEFLATED)
    body = zipped({"archive/data.pkl": b"\x80\x02]."}, zipfile.ZIP_STORED)
    yield "no pickle", sealed(body[: len(body) // 2])
    members = members_of(saved(content))
    largest = max(members, key=lambda name: len(members[name]) if "/data/" in name else 0)
    yield "packed tensors", sealed(zipped({**members, largest: bytes(900_000_000)}))
