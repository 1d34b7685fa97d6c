"""The structure of the package in figures, and the time of its two commands.

    python benchmarks/structure.py            the figures that are read from the source
    python benchmarks/structure.py --times    also `make test` and the demo, on a quiet machine

BEFORE holds the lines of code of the same parts in version 0.1.0 before the benchmarks shared them.
"""

import argparse
import ast
import io
import re
import subprocess
import sys
import tempfile
import time
import tokenize
from pathlib import Path

from table import Results

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "tumble"
sys.path.append(str(ROOT / "tests"))

from imports import ENGINE_FOLDERS, FOLDERS, PLUG_INS, circles, folder_problems, layer_problems  # noqa: E402

NAMES_NO_BENCHMARK = ("cli", "runs", "report", "jobs", "envs", "engine", "scene")
MACHINERY = ("evaluation/run_spec", "evaluation/evaluate", "evaluation/replay", "report/groups", "envs/env")
ATTEMPTS = ("evaluation/attempts",)
"""How an attempt is made, which differs between benchmarks."""
BEFORE, BEFORE_WITHOUT_ATTEMPTS = 985, 860
MAX_PLUGIN_LINES = 200


def code_lines(path: Path) -> int:
    """Lines of statements: without imports, docstrings, comments and blank lines."""
    text = path.read_text(encoding="utf-8")
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in skipped:
            lines |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        is_text = (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        )
        if is_text or isinstance(node, ast.Import | ast.ImportFrom):
            lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def lines_of(parts: tuple[str, ...]) -> int:
    files = (SOURCE / package / f"{part}.py" for package in PLUG_INS for part in parts)
    return sum(code_lines(file) for file in files if file.exists())


def add_source(results: Results) -> None:
    flat = [len(list((SOURCE / package).glob("*.py"))) for package in PLUG_INS]
    results.add("modules lying flat in a benchmark's folder", " / ".join(map(str, flat)), "5 or fewer each")
    results.add("circles between files", str(len(circles(SOURCE))), "0")
    wrong = layer_problems(SOURCE) + folder_problems(SOURCE, "engine", ENGINE_FOLDERS)
    wrong += [problem for package in PLUG_INS for problem in folder_problems(SOURCE, package, FOLDERS)]
    results.add("imports between parts or folders that point up", str(len(wrong)), "0")
    texts = (file.read_text(encoding="utf-8") for part in NAMES_NO_BENCHMARK for file in (SOURCE / part).rglob("*.py"))
    mentions = sum(len(re.findall(r"phyre|phy-?q|comphy", text, re.IGNORECASE)) for text in texts)
    results.add(f"mentions of a benchmark's name in {', '.join(NAMES_NO_BENCHMARK)}", str(mentions), "0")
    plugin = [file for file in (ROOT / "tests" / "plugin").rglob("*") if file.suffix in (".py", ".toml")]
    lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in plugin)
    results.add("lines of the fourth benchmark", str(lines), f"under {MAX_PLUGIN_LINES}", note="no edit in src/")
    own, with_attempts = lines_of(MACHINERY), lines_of(MACHINERY + ATTEMPTS)
    note = "lines of code without imports, docstrings and comments"
    figure = "run machinery in the three benchmarks, over what it was"
    results.add(
        f"{figure}, without how an attempt is made",
        f"{own / BEFORE_WITHOUT_ATTEMPTS:.2f} x",
        "0.5 x",
        note=f"{own} of {BEFORE_WITHOUT_ATTEMPTS} {note}",
    )
    results.add(
        f"{figure}, with it", f"{with_attempts / BEFORE:.2f} x", "0.5 x", note=f"{with_attempts} of {BEFORE} {note}"
    )


def add_times(results: Results) -> None:
    start = time.monotonic()
    done = subprocess.run(["make", "test"], cwd=ROOT, capture_output=True, text=True)
    minutes = (time.monotonic() - start) / 60.0
    results.add("make test, installed", f"{minutes:.1f} min", "8 min", note=done.stdout.strip().splitlines()[-1])
    with tempfile.TemporaryDirectory() as folder:
        environment = {"HOME": folder, "XDG_CACHE_HOME": folder, "PATH": "/usr/bin:/bin"}
        command = [sys.executable, "-m", "tumble", "demo", "--out", folder]
        printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    first = re.search(r"\((\d+) s\)", printed)
    whole = re.search(r"Finished after (\d+) s", printed)
    assert first is not None
    assert whole is not None
    results.add("demo, first page", f"{first[1]} s", "60 s", note="empty caches: the physics is compiled")
    results.add("demo, all of it", f"{whole[1]} s", "180 s", note="the same")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", action="store_true", help="also time make test and make demo")
    arguments = parser.parse_args()
    results = Results("Structure of the package")
    add_source(results)
    if arguments.times:
        add_times(results)
    results.finish("structure")


if __name__ == "__main__":
    main()
