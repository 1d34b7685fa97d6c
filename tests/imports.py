"""What every module of the package imports, read from its source; and the rules that imports must keep."""

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

# From the bottom up: a part imports only parts of lower layers.
LAYERS = [
    {"errors", "lazy"},
    {"checks", "bounded"},
    {"scene", "progress", "draws"},
    {"jobs", "envs", "output"},
    {"engine"},
    {"runs"},
    {"report"},
    {"learning", "llm", "studies"},
    {"benchmark"},
    {"gym", "inspect_tasks", "leaderboard"},
    {"web"},
    {"cli"},
    {"phyre", "phyq", "comphy"},
    {"__main__"},
]
PLUG_INS = ("phyre", "phyq", "comphy")
# Inside a benchmark, from the bottom up: a folder imports only folders before it.
FOLDERS = [
    "benchmark",
    "objects",
    "catalogue",
    "observation",
    "simulation",
    "questions",
    "dataset",
    "generation",
    "envs",
    "models",
    "agents",
    "evaluation",
    "server",
    "compat",
    "report",
    "llm",
    "web",
    "cli",
]
ENGINE_FOLDERS = ["state", "collision", "dynamics", "rules", "rollout", "host"]
MOST_FLAT_MODULES = 5


def module_of(file: Path, source: Path) -> str:
    """The name of a file's module, as in tumble.scene.shapes."""
    parts = ["tumble", *file.relative_to(source).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports(source: Path) -> dict[str, frozenset[str]]:
    """The modules of the package that each of its modules imports, inside functions too."""
    files = {module_of(file, source): file for file in sorted(source.rglob("*.py"))}
    found = {}
    for module, file in files.items():
        names = _imported_names(file, module if file.name == "__init__.py" else module.rpartition(".")[0])
        found[module] = frozenset(known for name in names if (known := _known(name, files)) and known != module)
    return found


def _imported_names(file: Path, package: str) -> Iterator[str]:
    """Absolute names of all that a file imports; `from a import b` counts as `a.b`."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"), str(file))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            base = parts[: len(parts) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def _known(name: str, modules: dict[str, Path]) -> str | None:
    """The longest beginning of a name that is a module of the package."""
    while name:
        if name in modules:
            return name
        name = name.rpartition(".")[0]
    return None


def layer_problems(source: Path) -> list[str]:
    """Imports between the parts of the package that point up or sideways."""
    level = {part: number for number, parts in enumerate(LAYERS) for part in parts}
    parts = {module.split(".")[1] for module in imports(source) if "." in module}
    wrong = [f"{part} has no place in LAYERS" for part in sorted(parts - level.keys())]
    for module, others in imports(source).items():
        part = _part(module)
        for other in sorted(others):
            if _part(other) and _part(other) != part and level.get(_part(other), 99) >= level.get(part, -1):
                wrong.append(f"{module} imports {other}")
    return wrong


def _part(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def folder_problems(source: Path, package: str, order: Sequence[str]) -> list[str]:
    """Imports between the folders of a package that point up; modules beside the folders are free."""
    wrong = []
    for module, others in imports(source).items():
        if not module.startswith(f"tumble.{package}."):
            continue
        folder = module.split(".")[2]
        if folder not in order:
            wrong += [] if (source / package / f"{folder}.py").exists() else [f"{package}/{folder} has no place"]
            continue
        for other in sorted(others):
            place = other.split(".")[2] if other.startswith(f"tumble.{package}.") else folder
            if place != folder and place in order and order.index(place) > order.index(folder):
                wrong.append(f"{module} imports {other}")
    return sorted(set(wrong))


def circles(source: Path) -> list[list[str]]:
    """Groups of modules that import each other, directly or through others."""
    graph = imports(source)
    reach = {module: _reachable(module, graph) for module in graph}
    groups = {tuple(sorted(other for other in reach[module] if module in reach[other])) for module in graph}
    return [list(group) for group in sorted(groups) if len(group) > 1]


def _reachable(start: str, graph: dict[str, frozenset[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for other in graph[waiting.pop()]:
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return seen
