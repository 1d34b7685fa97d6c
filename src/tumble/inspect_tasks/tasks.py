"""The tasks: one for each installed benchmark, named after it, and a small one of all together.

    inspect eval tumble/NAME --model … -T mode=text -T limit=100 -T schema=true

`-T` sets the keys of the benchmark's selection, and what is common to all: `seed` draws other tasks for a `limit`,
`schema` tells providers the JSON schema of answers, `cache=false` asks again what was answered before. Tasks are
ordered in turns over the templates, so that inspect's own `--limit` is stratified too.
"""

from collections.abc import Callable, Iterable
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample

from tumble.benchmark import NoPuzzlesError, benchmark, benchmarks
from tumble.inspect_tasks.samples import samples
from tumble.inspect_tasks.scorer import attempts
from tumble.inspect_tasks.solver import converse

SMALL = 20
"""Tasks of each benchmark in `all_small`."""


def benchmark_task(name: str) -> Callable[..., Task]:
    """The function that makes the task of a benchmark, registered under its name."""

    def make(schema: bool = False, cache: bool = True, seed: int = 0, **selection: Any) -> Task:
        return _task(name, samples(name, selection, seed), schema, cache)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"{benchmark(name).title}: {benchmark(name).summary}"
    return task(name=name)(make)


@task
def all_small(schema: bool = False, cache: bool = True, seed: int = 0, limit: int = SMALL, mode: str = "text") -> Task:
    """A few tasks of every benchmark that has prompts; `limit` is that of each."""
    found: list[Sample] = []
    for name in benchmarks():
        try:
            found += samples(name, {"limit": limit, "mode": mode}, seed, f"{name}/")
        except NoPuzzlesError:
            continue
    return _task("all_small", found, schema, cache)


def _task(name: str, found: Iterable[Sample], schema: bool, cache: bool) -> Task:
    return Task(
        dataset=MemoryDataset(list(found), name=f"tumble/{name}"), solver=converse(schema, cache), scorer=attempts()
    )


TASKS = {name: benchmark_task(name) for name in benchmarks()}
