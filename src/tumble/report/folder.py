"""Writes the files of a report into a folder, and removes those that an earlier report left there."""

import re
from collections.abc import Mapping
from pathlib import Path

from tumble.scene.files import whole_file

_NUMBERED = re.compile(r"(table-|figure-)?\d\d+-[a-z0-9-]+\.(csv|tex|pdf)")
"""Names of files that belong to a report."""


def write_files(folder: str | Path, files: Mapping[str, bytes], index: str) -> list[Path]:
    """Writes each file whole or not at all, and last the index, which names the others; returns their paths.

    Numbered files that the folder's earlier index names, and that the report does not have any more, are removed.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    earlier = (target / index).read_text(encoding="utf-8") if (target / index).is_file() else ""
    ordered = [*(name for name in files if name != index), index]
    for name in ordered:
        with whole_file(target / name) as partial:
            partial.write_bytes(files[name])
    for match in _NUMBERED.finditer(earlier):
        if match[0] not in files:
            (target / match[0]).unlink(missing_ok=True)
    return [target / name for name in ordered]
