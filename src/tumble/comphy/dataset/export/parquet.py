"""A dataset as Parquet tables with a card and Croissant metadata (JSON-LD), plain or as a Hugging Face folder.

The plain export has one file for each table. A Hugging Face folder is one that `datasets.load_dataset(folder,
table)` reads, and that can be uploaded to the hub:

README.md                                         the card; its header names the tables and their splits
data/questions/train-00000-of-00001.parquet       the other tables likewise
data/videos/train-00000-of-00003.parquet          the videos as bytes of MP4 files, in parts of half a gigabyte
croissant.json
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from json import dumps
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image, ImageDraw

import tumble
from tumble.comphy.catalogue.world import FRAMES_PER_SECOND
from tumble.comphy.dataset.export.card import Summary, card_text, sample_text, yaml_header
from tumble.comphy.dataset.export.folder import export_folder
from tumble.comphy.dataset.export.tables import Rows, rows_of, schemas_of, tables_text, video_label
from tumble.comphy.dataset.folder import file_digest
from tumble.comphy.dataset.json_files import DataError, Fault, write_json
from tumble.comphy.dataset.layout import SPLITS, VIDEOS, Split, VideoKey
from tumble.comphy.dataset.load import Dataset, Example
from tumble.progress import Advance, bar
from tumble.scene.files import whole_file

GROUP_SIZE = 100
"""Sets in one row group."""


def set_rows(data: Dataset, split: Split | None, summary: Summary, advance: Advance) -> Iterator[Rows]:
    """The rows of each set of a split, or of all; a set that can't be read is added to the faults."""
    for index in data.indices(split):
        try:
            example = data.example(index)
            rows = rows_of(example)
        except DataError as error:
            data.faults.append(Fault(f"set {index:05d}", str(error)))
        else:
            summary.add(example)
            yield rows
        advance(1)


def write_tables(sets: Iterable[Rows], files: Mapping[str, Path], schemas: Mapping[str, pa.Schema]) -> None:
    """Writes rows into files, both by the names of tables."""
    remaining = iter(sets)
    with ExitStack() as stack:
        writers = {}
        for table, path in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = stack.enter_context(whole_file(path))
            writers[table] = stack.enter_context(pq.ParquetWriter(partial, schemas[table], compression="zstd"))
        while group := list(islice(remaining, GROUP_SIZE)):
            for table, writer in writers.items():
                records = [row for rows in group for row in rows[table]]
                writer.write_table(pa.Table.from_pylist(records, schemas[table]))


CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
PARQUET = "application/x-parquet"
LICENSES = {"mit": "https://spdx.org/licenses/MIT.html"}
CROISSANT_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The context of Croissant 1.0."""


@dataclass(frozen=True)
class TableFile:
    """A Parquet file of a table."""

    table: str
    path: Path
    schema: pa.Schema
    id: str = ""
    """Of its records, if the table has several files."""

    @property
    def records(self) -> str:
        """The id of its records."""
        return self.id or self.table


def croissant_metadata(summary: Summary, folder: Path, tables: Sequence[TableFile]) -> dict[str, Any]:
    """The metadata of an export with its Parquet files, each of which is a set of records."""
    return {
        "@context": CROISSANT_CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": summary.name,
        "description": "Videos of bodies with hidden mass and charge, with questions about what is, will and would "
        "happen, their programs and their answers.",
        "keywords": ["physical reasoning", "video question answering", "ComPhy"],
        "creator": {"@type": "sc:Organization", "name": f"Tumble {tumble.__version__}"},
        "license": LICENSES.get(summary.license, summary.license),
        "version": "1.0.0",
        "citeAs": "Chen et al. 2024, Compositional Physical Reasoning of Objects and Events from Videos, "
        "arXiv:2408.02687",
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": _name(table, folder),
                "name": _name(table, folder),
                "contentUrl": _name(table, folder),
                "contentSize": f"{table.path.stat().st_size} B",
                "encodingFormat": PARQUET,
                "sha256": file_digest(table.path),
            }
            for table in tables
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": table.records,
                "name": table.records,
                "field": [_field(table.records, _name(table, folder), column) for column in table.schema],
            }
            for table in tables
        ],
    }


def _name(table: TableFile, folder: Path) -> str:
    return table.path.relative_to(folder).as_posix()


def _field(table: str, file: str, column: pa.Field) -> dict[str, Any]:
    kind, repeated = column.type, False
    while pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        kind, repeated = kind.value_type, True
    source = {"fileObject": {"@id": file}, "extract": {"column": column.name}}
    field: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"{table}/{column.name}",
        "name": column.name,
        "source": source,
        **({"repeated": True} if repeated else {}),
    }
    if not pa.types.is_struct(kind):
        return {**field, "dataType": _data_type(kind)}
    return {**field, "subField": [_sub_field(f"{table}/{column.name}", source, part) for part in kind]}


def _sub_field(parent: str, source: dict[str, Any], part: pa.Field) -> dict[str, Any]:
    kind = part.type.value_type if pa.types.is_list(part.type) else part.type
    return {
        "@type": "cr:Field",
        "@id": f"{parent}/{part.name}",
        "name": part.name,
        "dataType": _data_type(kind),
        "source": {**source, "transform": {"jsonPath": part.name}},
        **({"repeated": True} if kind is not part.type else {}),
    }


def _data_type(kind: pa.DataType) -> str:
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    if pa.types.is_binary(kind):
        return "sc:VideoObject"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"


COLUMNS = 6
CELL_WIDTH = 200
_GAP = 4
_LABEL_HEIGHT = 18


def write_contact_sheet(path: Path, example: Example) -> None:
    """Writes a PNG file with evenly spaced frames: a row for the target, and one for each reference."""
    rows = [_row(example, video) for video in VIDEOS[: 1 + len(example.videos.references)]]
    width = max(row.width for row in rows)
    sheet = Image.new("RGB", (width, sum(row.height for row in rows)), "white")
    top = 0
    for row in rows:
        sheet.paste(row, (0, top))
        top += row.height
    with whole_file(path) as partial:
        sheet.save(partial)


def _row(example: Example, video: VideoKey) -> Image.Image:
    frames = example.frames(video)
    chosen = np.linspace(0, len(frames) - 1, COLUMNS).round().astype(int).tolist()
    height, width = frames.shape[1:3]
    cell = (CELL_WIDTH, round(CELL_WIDTH * height / width))
    row = Image.new("RGB", (COLUMNS * (cell[0] + _GAP) - _GAP, _LABEL_HEIGHT + cell[1] + _GAP), "white")
    draw = ImageDraw.Draw(row)
    name = "target" if video == "target" else f"reference {video}"
    for column, frame in enumerate(chosen):
        left = column * (cell[0] + _GAP)
        label = f"{frame / FRAMES_PER_SECOND:.1f} s"
        draw.text((left + 2, 3), f"{name}, {label}" if column == 0 else label, fill="black")
        row.paste(Image.fromarray(frames[frame]).resize(cell, Image.Resampling.LANCZOS), (left, _LABEL_HEIGHT))
    return row


PICTURE = "sample.png"


def write_parquet(data: Dataset, folder: Path, name: str = "ComPhy, made by Tumble") -> None:
    """Writes the tables, croissant.json and the card (README.md)."""
    with export_folder(data, folder, "parquet"):
        summary = Summary(name, data.settings, data.physics_id)
        schemas = schemas_of(data.world)
        files = {table: folder / f"{table}.parquet" for table in schemas}
        with bar("Exporting", len(data.indices())) as advance:
            write_tables(set_rows(data, None, summary, advance), files, schemas)
        tables = [TableFile(table, path, schemas[table]) for table, path in files.items()]
        write_json(folder / "croissant.json", croissant_metadata(summary, folder, tables))
        sections = {"Tables": tables_text({table: path.name for table, path in files.items()})}
        write_card(data, folder, summary, sections, yaml_header(summary, {}))


def write_card(data: Dataset, folder: Path, summary: Summary, sections: dict[str, str], header: str) -> None:
    """Writes the card, with a picture of a set if there are videos."""
    picture = None
    if summary.sample is not None and data.has_videos:
        try:
            write_contact_sheet(folder / PICTURE, summary.sample)
            picture = PICTURE
        except DataError as error:
            data.faults.append(Fault(f"set {summary.sample.index:05d}", str(error)))
    shown = {**sections, "Sample": sample_text(summary, picture)}
    with whole_file(folder / "README.md") as partial:
        partial.write_text(card_text(summary, shown, data.faults, header), encoding="utf-8")


PART_SIZE = 500_000_000
"""Bytes of videos in one file; large files are slow to upload and to stream."""
_FEATURES = {
    "scene_index": {"dtype": "int32", "_type": "Value"},
    "split": {"dtype": "string", "_type": "Value"},
    "name": {"dtype": "string", "_type": "Value"},
    "video": {"_type": "Video"},
}
VIDEO_SCHEMA = pa.schema(
    [
        ("scene_index", pa.int32()),
        ("split", pa.string()),
        ("name", pa.string()),
        ("video", pa.struct([("bytes", pa.binary()), ("path", pa.string())])),
    ],
    metadata={"huggingface": dumps({"info": {"features": _FEATURES}})},
)
"""The metadata tells `datasets` to decode the column `video`."""


def write_huggingface(data: Dataset, folder: Path, name: str = "ComPhy, made by Tumble") -> None:
    """Writes tables by split, videos if there are any, croissant.json and the card (README.md)."""
    with export_folder(data, folder, "huggingface"):
        summary = Summary(name, data.settings, data.physics_id)
        written: dict[str, dict[str, list[Path]]] = {}
        schemas = {**schemas_of(data.world), "videos": VIDEO_SCHEMA}
        with bar("Exporting", len(data.indices())) as advance:
            for split in SPLITS:
                if data.indices(split):
                    tables = [
                        table for table in schemas if table != "videos" and (split == "test" or table != "test_answers")
                    ]
                    files = {table: _part(folder, table, split, 0, 1) for table in tables}
                    write_tables(set_rows(data, split, summary, advance), files, schemas)
                    for table, path in files.items():
                        written.setdefault(table, {})[split] = [path]
        if data.has_videos:
            written["videos"] = _write_videos(data, folder)
        described = [
            TableFile(table, path, schemas[table], f"{table}/{path.stem}")
            for table, by_split in written.items()
            for paths in by_split.values()
            for path in paths
        ]
        write_json(folder / "croissant.json", croissant_metadata(summary, folder, described))
        configs = {
            table: {split: f"data/{table}/{split}-*.parquet" for split in by_split}
            for table, by_split in written.items()
        }
        videos = ("`videos`: a row for each video; `video` is an MP4 file.",) if data.has_videos else ()
        use = 'from datasets import load_dataset\n\nquestions = load_dataset("folder", "questions", split="train")'
        sections = {
            "Use": f"```python\n{use}\n```\n\nRows of different tables belong together by `scene_index`.",
            "Tables": tables_text({table: table for table in written if table != "videos"}, videos),
        }
        write_card(data, folder, summary, sections, yaml_header(summary, configs))


def _write_videos(data: Dataset, folder: Path) -> dict[str, list[Path]]:
    """Writes the videos of every split in parts; returns the files of each split."""
    written: dict[str, list[Path]] = {}
    with bar("Exporting videos", len(data.indices())) as advance:
        for split in SPLITS:
            parts = _parts(data, data.indices(split))
            written.update({split: []} if parts else {})
            for k, indices in enumerate(parts):
                path = _part(folder, "videos", split, k, len(parts))
                write_tables(_video_rows(data, split, indices, advance), {"videos": path}, {"videos": VIDEO_SCHEMA})
                written[split].append(path)
    return written


def _parts(data: Dataset, indices: Sequence[int]) -> list[list[int]]:
    """Sets in groups whose videos have about the size of a part."""
    parts: list[list[int]] = []
    size = PART_SIZE
    for index in indices:
        if size >= PART_SIZE:
            parts.append([])
            size = 0
        parts[-1].append(index)
        paths = (data.layout.video(index, video) for video in VIDEOS)
        size += sum(path.stat().st_size for path in paths if path.exists())
    return parts


def _video_rows(data: Dataset, split: Split, indices: Sequence[int], advance: Advance) -> Iterator[Rows]:
    for index in indices:
        rows = []
        try:
            for video in VIDEOS:
                path = data.files.check(data.layout.video(index, video))
                if path.exists():
                    content = {"bytes": path.read_bytes(), "path": path.name}
                    rows.append({"scene_index": index, "split": split, "name": video_label(video), "video": content})
        except DataError as error:
            data.faults.append(Fault(f"set {index:05d}", str(error)))
        else:
            yield {"videos": rows}
        advance(1)


def _part(folder: Path, table: str, split: Split, k: int, parts: int) -> Path:
    return folder / "data" / table / f"{split}-{k:05d}-of-{parts:05d}.parquet"
