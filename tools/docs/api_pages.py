"""The API reference: a page for each public package, with the directives that mkdocstrings expands."""

import ast
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ApiPage:
    """A page: the names that a package exports, and modules below it that users import."""

    package: str
    modules: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """Where the page is in the site."""
        return f"api/{self.package.rpartition('.')[2]}.md"


PAGES = (
    ApiPage(
        "tumble.phyre",
        (
            "agents.agent",
            "catalogue.template",
            "simulation.sweep_files",
            "generation.task_analysis",
            "evaluation.run_spec",
            "evaluation.evaluate",
            "evaluation.result",
        ),
    ),
    ApiPage(
        "tumble.phyq",
        (
            "agents.agent",
            "catalogue.template",
            "catalogue.rule",
            "catalogue.trajectory",
            "catalogue.level_json",
            "catalogue.science_birds_xml",
            "observation.view",
            "generation.solutions",
            "evaluation.run_spec",
            "evaluation.evaluate",
            "evaluation.result",
        ),
    ),
    ApiPage("tumble.comphy", ("questions.program", "evaluation.metrics", "dataset.torch_dataset")),
    ApiPage("tumble.engine", ("rules.queries", "rules.changes")),
    ApiPage("tumble.scene"),
    ApiPage("tumble.benchmark"),
    ApiPage("tumble.runs", ("participant", "spec", "header", "log", "evaluate")),
    ApiPage("tumble.report", ("document", "page")),
    ApiPage("tumble.jobs", ("job", "executors")),
    ApiPage("tumble.envs", ("vector_env",)),
)
"""All pages. A module that moves has to move here too: the build stops at one that is missing."""
CONCEPTS = {
    "": "The package",
    "catalogue": "Tasks",
    "observation": "Pictures and states",
    "simulation": "Simulation",
    "questions": "Questions",
    "dataset": "Datasets",
    "generation": "Making and checking tasks",
    "models": "Networks",
    "agents": "Agents",
    "evaluation": "Evaluation and scores",
}
"""Headings of a benchmark's names, by the folder that they come from; "" for names that the package itself defines."""


def page(api: ApiPage, source: Path) -> str:
    """The page as Markdown; `source` is the folder that holds the packages."""
    parts = [f"# {api.package}", _description(api.package, source)]
    for concept, names in by_concept(api.package, source).items():
        parts += [f"## {concept}"] if concept else []
        parts += [f"::: {api.package}.{name}" for name in names]
    for module in api.modules:
        name = f"{api.package}.{module}"
        parts.append(f"## {name}\n\n{_description(name, source)}")
        parts += [f"::: {name}.{member}" for member in public_names(name, source)]
    return "\n\n".join(parts) + "\n"


def exported(package: str, source: Path) -> list[str]:
    """The names in the `__all__` of a package, or the public names of a module, read without importing it."""
    for node in _tree(package, source).body:
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "__all__" for target in node.targets):
            return [str(name) for name in ast.literal_eval(node.value)]
    return public_names(package, source)


def by_concept(package: str, source: Path) -> dict[str, list[str]]:
    """The names that a package exports under their headings; without a heading where it exports none lazily."""
    names = exported(package, source)
    calls = (node for node in ast.walk(_tree(package, source)) if isinstance(node, ast.Call))
    lazy = next((call for call in calls if getattr(call.func, "id", "") == "lazy_exports"), None)
    if lazy is None or not package.endswith(("phyre", "phyq", "comphy")):
        return {"": names}
    folders = {name: place.partition(".")[0] for name, place in ast.literal_eval(lazy.args[1]).items()}
    groups = {title: [name for name in names if folders.get(name, "") == key] for key, title in CONCEPTS.items()}
    return {title: members for title, members in groups.items() if members}


def public_names(module: str, source: Path) -> list[str]:
    """The public functions and classes that a module defines, in its order."""
    nodes = (node for node in _tree(module, source).body if isinstance(node, ast.FunctionDef | ast.ClassDef))
    return [node.name for node in nodes if not node.name.startswith("_")]


def _description(module: str, source: Path) -> str:
    """The first paragraph of a module's docstring."""
    return (ast.get_docstring(_tree(module, source)) or "").partition("\n\n")[0]


def _tree(module: str, source: Path) -> ast.Module:
    path = source.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8"), str(file))
