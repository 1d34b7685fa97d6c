"""A folder that `datasets.load_dataset(folder, table)` reads, and that can be uploaded to the Hugging Face hub.

README.md                                         the card; its header names the tables and their splits
data/questions/train-00000-of-00001.parquet       the other tables likewise
data/videos/train-00000-of-00003.parquet          the videos as bytes of MP4 files, in parts of half a gigabyte
croissant.json
"""

from collections.abc import Iterator, Sequence
from json import dumps
from pathlib import Path

import pyarrow as pa

from tumble.comphy.dataset.export.card import Summary, yaml_header
from tumble.comphy.dataset.export.croissant import TableFile, metadata
from tumble.comphy.dataset.export.folder import export_folder
from tumble.comphy.dataset.export.parquet import write_card
from tumble.comphy.dataset.export.table_files import set_rows, write_tables
from tumble.comphy.dataset.export.tables import Rows, schemas_of, tables_text, video_label
from tumble.comphy.dataset.json_files import DataError, Fault, write_json
from tumble.comphy.dataset.layout import SPLITS, VIDEOS, Split
from tumble.comphy.dataset.load import Dataset
from tumble.progress import Advance, bar

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
        write_json(folder / "croissant.json", metadata(summary, folder, described))
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
