"""What tests of inspect_ai share: no cache and no logs outside of the test's folder, and the tiny benchmark."""

import gc
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def evaluate(collected: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Evaluates a model on Guess: `evaluate(model, mode="text", …)` is the log."""
    pytest.importorskip("inspect_ai", reason="needs inspect_ai: pip install tumble[llm]")
    import guess
    from inspect_ai import eval as inspect_eval

    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    with guess.installed():
        from tumble.inspect_tasks.tasks import benchmark_task

        make = benchmark_task("guess")

        def run(model: Any, eval_options: dict[str, Any] | None = None, **arguments: Any) -> Any:
            options = {"display": "none", "log_dir": str(tmp_path / "logs"), "log_realtime": False}
            (log,) = inspect_eval(make(**arguments), model=model, **{**options, **(eval_options or {})})
            return log

        yield run


@pytest.fixture(scope="module")
def collected() -> Iterator[None]:
    """Clients of providers leave connections to the garbage collector: it runs before tests of others begin."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Warnings inside inspect_ai and the clients of providers are not ours."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.filterwarnings("ignore"))
