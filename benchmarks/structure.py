"""The structure of the package in figures, and the time of its two commands.

    python benchmarks/structure.py            the figures that are read from the source
    python benchmarks/structure.py --times    also `make test` and the demo, on a quiet machine

tests/structure_figures.py says what each figure counts; tests/test_structure.py keeps the reached ones.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from table import Results

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))

import structure_figures as figures  # noqa: E402
from imports import ENGINE_FOLDERS, FOLDERS, PLUG_INS, circles, folder_problems, layer_problems  # noqa: E402

NAMES_NO_BENCHMARK = ("cli", "runs", "report", "jobs", "envs", "engine", "scene")
CLOSURES = {"DQN": "8 (1,400)", "explorer": "14 (2,400)", "see-and-simulate": "25 (4,800)", "shot-ranker": "30"}
MAX_PLUGIN_LINES = 200


def add_sizes(results: Results) -> None:
    """Files and lines of code, and words of pages."""
    source = figures.SOURCE
    files, lines = len(figures.sources()), figures.count_lines()
    results.add("Python files in src; mean lines", f"{files}; {lines / files:.0f}", "600; 150 to 200")
    results.add(f"files of at most {figures.SMALL} lines", str(len(figures.small_files())), "40")
    own = figures.count_lines(ROOT / "benchmarks")
    results.add("lines of Python in src; in benchmarks", f"{lines:,}; {own:,}", "98,000; 9,000")
    results.add("import lines", f"{figures.import_lines():,}", "5,500")
    for name, module in figures.READ_WHOLE.items():
        found = figures.closure(module)
        results.add(f"{name}: files (lines) to read", f"{len(found)} ({sum(found.values()):,})", CLOSURES[name])
    crowded = figures.crowded_folders()
    results.add(f"folders with more than {figures.CROWD} Python files", str(len(crowded)), "5", "", ", ".join(crowded))
    results.add("imports in docs and README deeper than tumble.PART", str(len(figures.deep_imports())), "0")
    total, read = figures.words()
    results.add("words of pages: all; outside research and reference", f"{total:,}; {read:,}", "62,000; 35,000")
    results.add("circles between files", str(len(circles(source))), "0")
    wrong = layer_problems(source) + folder_problems(source, "engine", ENGINE_FOLDERS)
    wrong += [problem for package in PLUG_INS for problem in folder_problems(source, package, FOLDERS)]
    results.add("imports between parts or folders that point up", str(len(wrong)), "0")
    texts = (text for part in NAMES_NO_BENCHMARK for text in figures.sources(source / part).values())
    mentions = sum(len(re.findall(r"phyre|phy-?q|comphy", text, re.IGNORECASE)) for text in texts)
    results.add(f"mentions of a benchmark's name in {', '.join(NAMES_NO_BENCHMARK)}", str(mentions), "0")
    plugin = [file for file in (ROOT / "tests" / "plugin").rglob("*") if file.suffix in (".py", ".toml")]
    lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in plugin)
    results.add("lines of the fourth benchmark", str(lines), f"under {MAX_PLUGIN_LINES}", note="no edit in src/")


def add_times(results: Results) -> None:
    """The time of the tests and of the demo."""
    start = time.monotonic()
    done = subprocess.run(["make", "test"], cwd=ROOT, capture_output=True, text=True)
    minutes = (time.monotonic() - start) / 60.0
    results.add("make test, installed", f"{minutes:.1f} min", "6 min", note=done.stdout.strip().splitlines()[-1])
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
    add_sizes(results)
    if arguments.times:
        add_times(results)
    results.finish("structure")


if __name__ == "__main__":
    main()
