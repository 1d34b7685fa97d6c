"""Checks files for a commit: text ends in exactly one line break, and nothing but shipped data is large.

python tools/check_files.py FILE…
"""

import sys
from pathlib import Path

LARGEST = 500_000
"""Bytes of a file outside of src/tumble/*/data."""


def problem(path: Path) -> str:
    """What is wrong with a file; empty if nothing is."""
    content = path.read_bytes()
    if len(content) > LARGEST and not ("tumble" in path.parts and "data" in path.parts):
        return f"{len(content):,} bytes; outside of src/tumble/*/data files may have {LARGEST:,}"
    is_text = b"\0" not in content
    if is_text and content and (not content.endswith(b"\n") or content.endswith(b"\n\n")):
        return "a text file must end in exactly one line break"
    return ""


def main(names: list[str]) -> int:
    """Print the problems of some files; return 1 if there are any."""
    problems = {name: problem(Path(name)) for name in names if Path(name).is_file()}
    for name, text in problems.items():
        if text:
            print(f"{name}: {text}", file=sys.stderr)
    return int(any(problems.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
