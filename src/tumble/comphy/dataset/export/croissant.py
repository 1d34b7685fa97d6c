"""Croissant metadata (JSON-LD) of exported tables: their files and columns."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

import tumble
from tumble.comphy.dataset.checksums import digest

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
PARQUET = "application/x-parquet"
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
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
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The context of Croissant 1.0."""


def metadata(name: str, files: Mapping[str, Path], schemas: Mapping[str, pa.Schema]) -> dict[str, Any]:
    """The metadata of Parquet files, with their schemas by table."""
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": name,
        "description": "Videos of bodies with hidden mass and charge, with questions about what is, will and would "
        "happen, their programs and their answers.",
        "keywords": ["physical reasoning", "video question answering", "ComPhy"],
        "creator": {"@type": "sc:Organization", "name": f"Tumble {tumble.__version__}"},
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": path.name,
                "name": path.name,
                "contentUrl": path.name,
                "contentSize": f"{path.stat().st_size} B",
                "encodingFormat": PARQUET,
                "sha256": digest(path),
            }
            for path in files.values()
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": table,
                "name": table,
                "field": [_field(table, path.name, column) for column in schemas[table]],
            }
            for table, path in files.items()
        ],
    }


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
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"
