"""The benchmark tables as Markdown: a page for each theme, a table for each CSV file of benchmarks/results."""

import csv
from collections.abc import Sequence
from pathlib import Path

INTRODUCTION = """
# Benchmark tables

Everything that the programs in `benchmarks/` have measured: a page for each theme, a table for each file of
`benchmarks/results/`, with the machine. *Must* is what was asked for, *goal* what was hoped for.
[Figures](reference/figures.md) has a selection with the published numbers beside ours.
""".strip()
THEMES = {
    "engine": ("Engine", ("ablation", "branch", "engine", "fidelity", "speed")),
    "phyre": ("PHYRE", ("compat", "phyre", "tutorial")),
    "phyq": ("Phy-Q", ("phyq",)),
    "comphy": ("ComPhy", ("comphy",)),
    "llm": ("Language models", ("llm",)),
    "people": ("People and leaderboards", ("leaderboard", "play", "server", "study")),
    "robustness": ("Robustness and structure", ()),
}
"""Titles of the pages, and how the names of their files begin; the last one has all other files."""
TITLES = {
    "comphy-generate": "ComPhy: generation",
    "comphy-models": "ComPhy: models from videos to answers",
    "comphy-models-blind": "ComPhy: agents without videos",
    "comphy-models-blind-div": "ComPhy: agents without videos, everyday objects",
    "comphy-render": "ComPhy: rendering",
    "fidelity": "Engine: fidelity to Box2D",
    "phyq-agents": "Phy-Q: agents",
    "phyq-agents-local": "Phy-Q: agents, by template",
    "phyq-checked": "Phy-Q: tasks checked again",
    "phyq-fixed-angles": "Phy-Q: best fixed angle, by template and scenario",
    "phyq-make": "Phy-Q: checked tasks made per minute",
    "phyq-speed": "Phy-Q: speed",
    "phyre-agents": "PHYRE: agents",
    "phyre-chances": "PHYRE: chance of a random action, by template",
    "phyre-folds": "PHYRE: networks on all folds",
    "phyre-solutions": "PHYRE: stored solutions",
    "phyre-speed": "PHYRE: speed of sweeps",
    "speed": "Engine: speed",
    "structure": "Package: structure",
}
"""Headings by name of a file; a file that is not listed has its name as the heading."""


def pages(folder: Path) -> dict[str, str]:
    """All tables as pages, by their paths in the site: the list of themes, and a page for each."""
    files: dict[str, list[Path]] = {theme: [] for theme in THEMES}
    for file in sorted(folder.glob("*.csv"), key=lambda file: heading(file.stem)):
        files[theme_of(file.stem)].append(file)
    links = [f"- [{THEMES[theme][0]}](results/{theme}.md): {len(files[theme])} tables" for theme in THEMES]
    made = {"results.md": "\n".join([INTRODUCTION, "", *links]) + "\n"}
    for theme, (title, _) in THEMES.items():
        made[f"results/{theme}.md"] = "\n\n".join([f"# Tables: {title}", *map(section, files[theme])]) + "\n"
    return made


def theme_of(stem: str) -> str:
    """The theme of a file such as speed-gpu-x86_64.csv."""
    return next((theme for theme, (_, starts) in THEMES.items() if stem.startswith(starts)), list(THEMES)[-1])


def heading(stem: str) -> str:
    """The heading of a file such as speed-gpu-x86_64.csv."""
    name, _, architecture = stem.rpartition("-")
    on_gpu = name.endswith("-gpu")
    name = name.removesuffix("-gpu")
    return f"{TITLES.get(name, name)} ({'GPU, ' if on_gpu else ''}{architecture})"


def section(path: Path) -> str:
    """One file: its heading, the machines, the table without columns that are empty."""
    with path.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    machines = sorted({row["machine"] for row in rows})
    columns = [name for name in rows[0] if name != "machine" and any(row[name] for row in rows)] if rows else []
    lines = [row(columns), row(["---"] * len(columns)), *(row([cells[name] for name in columns]) for cells in rows)]
    machine = f"Machine: {'; '.join(machines)}. File: `{path.name}`."
    return "\n".join([f"## {heading(path.stem)}", "", machine, "", *lines])


def row(cells: Sequence[str]) -> str:
    """A row of a Markdown table."""
    return "| " + " | ".join(cell.replace("|", "\\|").replace("<", "&lt;") for cell in cells) + " |"
