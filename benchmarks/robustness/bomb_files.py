"""Files of at most 1 MB that ask for as much memory and time as they can: tricks by kind of file."""

import gzip
import io
import json
import lzma
import struct
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

MOST = 1_000_000
"""Bytes of a file."""
Content = bytes | dict[str, bytes]
"""A file, or the files of a folder by name."""
SIZES = (8_000_000, 30_000_000)
"""Bytes of content that is packed: below and above what readers unpack."""
Bombs = Iterator[tuple[str, bytes]]
"""The names of tricks, and files."""


def repeated(before: bytes, item: bytes, after: bytes, size: int = MOST) -> bytes:
    """An item again and again, up to a size, between two texts."""
    return before + item * ((size - len(before) - len(after)) // len(item)) + after


def json_texts(size: int = MOST) -> Bombs:
    """JSON that any reader of JSON may be given."""
    yield "brackets", b"[" * size
    yield "braces", repeated(b"", b'{"a":', b"", size)
    yield "lists", repeated(b"[", b"[],", b"0]", size)
    yield "objects", repeated(b"[", b"{},", b"0]", size)
    yield "small objects", repeated(b"[", b'{"a":1},', b"0]", size)
    yield "towers", repeated(b"[", b"[" * 90 + b"]" * 90 + b",", b"0]", size)
    yield "towers of objects", repeated(b"[", b'{"a":' * 90 + b"0" + b"}" * 90 + b",", b"0]", size)
    yield "a huge integer", b"9" * size
    yield "long integers", repeated(b"[", b"9" * 4299 + b",", b"0]", size)
    yield "a long decimal", b"0." + b"7" * (size - 2)
    yield "a long text", repeated(b'"', b"\\u0000", b'"', size)
    yield "texts of brackets", repeated(b'["', b"[", b'"]', size)
    yield "many names", b"{" + b",".join(b'"%x":0' % k for k in range(size // 10)) + b"}"
    yield "a name twice", b"{" + b",".join(b'"%x":0' % k for k in range(size // 12)) + b',"ff":0}'


def copies(sample: object, *path: object, size: int = MOST) -> bytes:
    """A sample as JSON with an item of it, or of something in it, again and again; ids in it differ."""
    text = json.dumps(sample)
    holder: Any = json.loads(text)
    value = holder
    for step in path[:-1]:
        value = value[step]
    mark = "@@items@@"
    if isinstance(value[path[-1]], list):
        item = value[path[-1]][0]
        value[path[-1]] = mark
    else:  # a table, whose first entry is copied under other names
        name, item = next(iter(value[path[-1]].items()))
        value[path[-1]] = mark
        return _filled(holder, mark, [f'"{name}-{k}": {json.dumps(item)}' for k in _count(item, size)], "{}", size)
    if numbered(item, 0) == item:
        return _filled(holder, mark, [json.dumps(item)] * len(_count(item, size)), "[]", size)
    return _filled(holder, mark, [json.dumps(numbered(item, k)) for k in _count(item, size)], "[]", size)


def _count(item: object, size: int) -> range:
    return range(size // (len(json.dumps(item)) + 6))


def numbered(item: Any, number: int) -> Any:
    """A record with a number in its id, name or index."""
    if not isinstance(item, dict):
        return item
    ids = {name: f"{item[name]}-{number}" for name in ("id", "name") if isinstance(item.get(name), str)}
    numbers = {name: number for name in ("scene_index", "question_id", "choice_id", "index") if name in item}
    return {**item, **ids, **numbers}


def _filled(holder: object, mark: str, items: Sequence[str], brackets: str, size: int) -> bytes:
    outer = json.dumps(holder)
    room, chosen = size - len(outer), []
    for text in items:
        room -= len(text) + 1
        if room < 0:
            break
        chosen.append(text)
    return outer.replace(f'"{mark}"', brackets[0] + ",".join(chosen) + brackets[1]).encode()


def packed(pack: Callable[[bytes], bytes], sources: Callable[[int], Iterable[tuple[str, bytes]]]) -> Bombs:
    """Files that are packed: each trick in the sizes that fit into 1 MB."""
    for size in SIZES:
        for name, content in sources(size):
            file = pack(content)
            if len(file) <= MOST:
                yield f"{name}, {len(content) / 1e6:.0f} MB", file


def xz(content: bytes) -> bytes:
    """Content as quickly packed by xz."""
    return lzma.compress(content, preset=0)


def gz(content: bytes) -> bytes:
    """Content as packed by gzip."""
    return gzip.compress(content, 6, mtime=0)


def zipped(members: dict[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip file."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", kind, compresslevel=9) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return stream.getvalue()


def npy(shape: Sequence[int], kind: str, content: bytes = b"", header: str = "") -> bytes:
    """An .npy file whose header says what it likes."""
    text = header or f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    raw = text.encode().ljust((len(text) + 73) // 64 * 64 - 10 - 1) + b"\n"
    return b"\x93NUMPY\x02\x00" + struct.pack("<I", len(raw)) + raw + content


def arrays(names: Sequence[str], kind: str = "<i8") -> Bombs:
    """Files of arrays (.npz) with these names."""
    zeros = bytes(min(900_000_000 // len(names), 300_000_000))
    yield "zeros", zipped({f"{name}.npy": npy([len(zeros) // 8], kind, zeros) for name in names})
    big = bytes(900_000_000)
    yield (
        "one large array",
        zipped(
            {
                f"{name}.npy": npy([len(big) // 8], kind, big) if name == names[-1] else npy([1], kind, bytes(8))
                for name in names
            }
        ),
    )
    text = bytes(200_000_000)
    yield "wide texts", zipped({f"{name}.npy": npy([1], f"<U{len(text) // 4}", text) for name in names[:4]})
    yield "large shapes", zipped({f"{name}.npy": npy([1 << 40], kind) for name in names})
    yield "negative shapes", zipped({f"{name}.npy": npy([-1, 8], kind, bytes(64)) for name in names})
    yield "objects", zipped({f"{name}.npy": npy([3], "|O", b"\x80\x02]q\x00.") for name in names})
    yield "nested header", zipped({f"{names[0]}.npy": npy([1], kind, header="(" * 900_000)})
    yield "many members", zipped({f"{k}.npy": b"" for k in range(9000)}, zipfile.ZIP_STORED)
    yield (
        "members by bzip2",
        zipped({f"{name}.npy": npy([len(zeros) // 8], kind, zeros) for name in names[:2]}, zipfile.ZIP_BZIP2),
    )
    yield (
        "members by lzma",
        zipped({f"{name}.npy": npy([len(zeros) // 8], kind, zeros) for name in names[:2]}, zipfile.ZIP_LZMA),
    )


def single_arrays() -> Bombs:
    """Files of one array (.npy)."""
    yield "a large shape", npy([1 << 40, 2, 4], "<f4")
    yield "a long header", npy([1], "<f4", header="[" * 900_000)
    yield "a pickle", npy([1], "|O", b"\x80\x02]q\x00.")
    yield "a full array", npy([62_000, 1, 4], "<f4", bytes(992_000))
    yield "no items", npy([1 << 40, 0, 4], "<f4")


def checkpoints(sealed: Callable[[bytes], bytes], content: dict[str, Any]) -> Bombs:
    """Checkpoints whose pickles or archives ask for more than they hold."""
    import torch

    def saved(value: object) -> bytes:
        stream = io.BytesIO()
        torch.save(value, stream)
        return stream.getvalue()

    def with_pickle(pickle: bytes, kind: int = zipfile.ZIP_STORED, **more: bytes) -> bytes:
        members = {
            "archive/data.pkl": pickle,
            "archive/version": b"3\n",
            "archive/byteorder": b"little",
            **{f"archive/{name}": value for name, value in more.items()},
        }
        return sealed(zipped(members, kind))

    wide = torch.zeros(1).expand(1 << 30, 1 << 10)
    yield "expanded tensors", sealed(saved({**content, "network": {"a": wide}}))
    yield "a large array of bytes", with_pickle(b"\x80\x02c__builtin__\nbytearray\nJ\xff\xff\xff\x7f\x85R.")
    yield "many small values", with_pickle(b"\x80\x02](" + b"]" * 900_000 + b"e.")
    yield "towers", with_pickle(b"\x80\x02" + b"](" * 400_000 + b"e" * 400_000 + b".")
    doubling = b"\x80\x02]q\x00(K\x01e" + b"".join(b"]q%c(h%ch%ce" % (k + 1, k, k) for k in range(100)) + b"."
    yield "lists of lists that are the same", with_pickle(doubling)
    yield "a long whole number", with_pickle(b"\x80\x02\x8b" + struct.pack("<i", 900_000) + b"\x7f" * 900_000 + b".")
    yield "packed values", with_pickle(b"\x80\x02](" + b"]" * 300_000_000 + b"e.", zipfile.ZIP_DEFLATED)
    body = zipped({"archive/data.pkl": b"\x80\x02]."}, zipfile.ZIP_STORED)
    yield "no pickle", sealed(body[: len(body) // 2])
    sound = saved(content)
    with zipfile.ZipFile(io.BytesIO(sound)) as file:
        members = {name: file.read(name) for name in file.namelist()}
    largest = max(members, key=lambda name: len(members[name]) if "/data/" in name else 0)
    yield "packed tensors", sealed(zipped({**members, largest: bytes(900_000_000)}))


def xml_texts() -> Bombs:
    """Levels in XML."""
    yield "elements", repeated(b"<Level>", b"<a/>", b"</Level>")
    yield "towers", repeated(b"", b"<Level>", b"")
    yield "attributes", b"<Level " + b" ".join(b'a%x=""' % k for k in range(100_000)) + b"/>"
    yield "a long attribute", repeated(b'<Level a="', b"&#65;", b'"/>')
    laughs = b"".join(b'<!ENTITY a%d "%s">' % (k, b"&a%d;" % (k - 1) * 10 if k else b"ha") for k in range(12))
    yield "entities", b"<!DOCTYPE x [" + laughs + b"]><Level>&a11;</Level>"
    yield "entities in UTF-16", ("<!DOCTYPE x [" + laughs.decode() + "]><Level>&a11;</Level>").encode("utf-16")
    yield "a long comment", repeated(b"<Level><!--", b"- ", b"--></Level>")
    yield "an open tag", repeated(b"<Level><", b"a", b"")
    head = b'<Level width="2"><Birds><Bird type="BirdRed"/></Birds><GameObjects>'
    yield "pigs", repeated(head, b'<Pig type="BasicSmall" x="0" y="0"/>', b"</GameObjects></Level>")
    yield "birds", repeated(b'<Level width="2"><Birds>', b'<Bird type="BirdRed"/>', b"</Birds></Level>")
    yield "long numbers", repeated(head + b'<Pig type="BasicSmall" y="0" x="', b"1", b'"/></GameObjects></Level>')


def toml_texts(study: str) -> Bombs:
    """Studies in TOML."""
    size = 520_000
    yield "names of many parts", repeated(b"", b"a.", b"a = 1", size)
    yield "tables of many parts", repeated(b"[", b"a.", b"a]", size)
    yield "spaced names of many parts", repeated(b"", b"a . ", b"a = 1", size)
    yield "quoted names of many parts", repeated(b"", b"''.", b"a = 1", size)
    yield "lines of names of 90 parts", repeated(b"", b"a." * 90 + b"a = 1\n", b"", size)
    yield "tables of 90 parts", b"".join(b"[" + b"a." * 90 + b"b%d]\n" % k for k in range(2500))
    yield "lists", repeated(b"a = ", b"[", b"", size)
    yield "inline tables", repeated(b"a = ", b"{a=", b"", size)
    yield "tables of a list", repeated(b"", b"[[a]]\n", b"", size)
    yield "a huge integer", repeated(b"a = ", b"9", b"", size)
    yield "many names", b"".join(b"k%x = 1\n" % k for k in range(40_000))
    yield "questions", study.encode() + b"".join(b'[[questions]]\nid = "q%d"\ntext = "x"\n' % k for k in range(12_000))
    yield "task ids", study.replace("ids = [", "ids = [" + '"00000:000", ' * 35_000).encode()


def thrift_structs(counts: Sequence[int]) -> Bombs:
    """Content in Thrift's binary protocol, before it is packed, with about these numbers of bytes."""
    for count in counts:
        size = struct.pack(">i", count)
        yield f"{count:,} empty structs", b"\x0f\x00\x01\x0c" + size + bytes(count) + b"\0"
        yield f"{count:,} flags", b"\x0f\x00\x01\x02" + size + b"\1" * count + b"\0"
        yield (
            f"{count // 5:,} empty lists",
            b"\x0f\x00\x01\x0f" + struct.pack(">i", count // 5) + b"\x02\0\0\0\0" * (count // 5) + b"\0",
        )
        numbers = b"".join(b"\x03" + struct.pack(">h", k) + b"\1" for k in range(250)) + b"\0"
        many = count // len(numbers)
        yield f"{many:,} structs of numbers", b"\x0f\x00\x01\x0c" + struct.pack(">i", many) + numbers * many + b"\0"
        yield (
            f"{count // 4:,} empty texts",
            b"\x0f\x00\x01\x0b" + struct.pack(">i", count // 4) + bytes(count // 4 * 4) + b"\0",
        )
    yield "towers", b"\x0f\x00\x01" + b"\x0f\0\0\0\1" * 200_000
    yield "a map", b"\x0f\x00\x01\x0d\0\0\0\1" + b"\x03\x03" + struct.pack(">i", 40_000_000) + bytes(80_000_000) + b"\0"


def pictures() -> Bombs:
    """Pictures of many pixels."""
    from PIL import Image

    for mode, side in (("1", 20_000), ("1", 12_000), ("L", 12_000), ("RGB", 12_000), ("RGB", 4000), ("RGBA", 4096)):
        stream = io.BytesIO()
        Image.new(mode, (side, side)).save(stream, "PNG", compress_level=9)
        yield f"{mode} {side} x {side}", stream.getvalue()
        if mode == "RGB":
            stream = io.BytesIO()
            Image.new(mode, (side, side)).save(stream, "JPEG", quality=1)
            yield f"JPEG {side} x {side}", stream.getvalue()


def videos(folder: Path) -> Bombs:
    """Videos of many or large black frames."""
    import av

    for side, frames in ((64, 60_000), (640, 3000), (2048, 250), (4096, 60)):
        stream = io.BytesIO()
        with av.open(stream, "w", format="mp4") as file:
            track = file.add_stream("libx264", rate=25, options={"preset": "ultrafast", "crf": "51"})
            track.width = track.height = side
            track.pix_fmt = "yuv420p"
            frame = av.VideoFrame.from_ndarray(np.zeros((side, side, 3), np.uint8), format="rgb24")
            for number in range(frames):
                frame.pts = number
                file.mux(track.encode(frame))
            file.mux(track.encode())
        yield f"{frames} frames of {side} x {side}", stream.getvalue()
    yield "a playlist", b"#EXTM3U\n#EXTINF:1,\n" + str(folder / "other.mp4").encode() + b"\n" + b"#EXT-X-ENDLIST\n"
    yield "a list of files", b"ffconcat version 1.0\nfile '/etc/hostname'\n"


def store_files(actions: np.ndarray, record: dict[str, Any]) -> Iterator[tuple[str, dict[str, bytes]]]:
    """Folders of sweep stores: a description, sealed again, and actions."""

    def sealed(fields: dict[str, Any]) -> bytes:
        own = {name: value for name, value in fields.items() if name not in ("format", "version", "seal")}
        return json.dumps({**fields, "seal": sha256(json.dumps(own).encode()).hexdigest()}).encode()

    table = np.ascontiguousarray(actions, "<f8").tobytes()
    yield (
        "many tasks",
        {"store.json": sealed({**record, "tasks": [f"{k}" for k in range(100_000)]}), "actions.npy": table},
    )
    yield (
        "a task per shard",
        {
            "store.json": sealed({**record, "tasks": [f"{k}" for k in range(100_000)], "tasks_per_shard": 1}),
            "actions.npy": table,
        },
    )
    yield "more actions than there are", {"store.json": sealed({**record, "actions": 1 << 31}), "actions.npy": table}
    many = bytes(960_000)
    digest = sha256(many).hexdigest()
    yield (
        "many actions",
        {"store.json": sealed({**record, "actions": 40_000, "actions_sha256": digest}), "actions.npy": many},
    )
    for name, text in json_texts():
        yield name, {"store.json": text, "actions.npy": table}
