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


def page(api: ApiPage, source: Path) -> str:
    """The page as Markdown; `source` is the folder that holds the packages."""
    parts = [f"# {api.package}", _description(api.package, source)]
    parts += [f"::: {api.package}.{name}" for name in exported(api.package, source)]
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
