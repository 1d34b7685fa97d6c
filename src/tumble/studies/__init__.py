"""Studies with people: what is asked (study.toml), what they did (SQLite), and run logs of it; no web code."""

from typing import TYPE_CHECKING

from tumble.lazy import lazy_exports

if TYPE_CHECKING:
    from tumble.studies.export import export_study
    from tumble.studies.study import Move, example_study

__all__ = ["Move", "example_study", "export_study"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {"Move": "study:Move", "example_study": "study:example_study", "export_study": "export:export_study"},
)
