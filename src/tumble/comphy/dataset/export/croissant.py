"""Croissant metadata (JSON-LD) of exported tables: their files and columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

import tumble
from tumble.comphy.dataset.checksums import digest
from tumble.comphy.dataset.export.card import Summary

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
PARQUET = "application/x-parquet"
LICENSES = {"mit": "https://spdx.org/licenses/MIT.html"}
CONTEXT: dict[str, Any] = {
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


def metadata(summary: Summary, folder: Path, tables: Sequence[TableFile]) -> dict[str, Any]:
    """The metadata of an export with its Parquet files, each of which is a set of records."""
    return {
        "@context": CONTEXT,
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
                "sha256": digest(table.path),
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
