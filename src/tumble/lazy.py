"""Public names of a package that are imported on first use, so that `import tumble.phyre` does not wait for Warp."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_exports(package: str, exports: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package.

    `exports` says where each public name is: "module" for a module of the package, "module:name" for a name in one.

        __getattr__, __dir__ = lazy_exports(__name__, {"Simulator": "simulation.simulator:Simulator"})
    """

    def __getattr__(name: str) -> Any:  # noqa: N807 (the names that Python looks for)
        if name not in exports:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, attribute = exports[name].partition(":")
        loaded = import_module(f"{package}.{module}")
        return getattr(loaded, attribute) if attribute else loaded

    def __dir__() -> list[str]:  # noqa: N807
        return sorted(exports)

    return __getattr__, __dir__
