"""The tasks: one for each installed benchmark, named after it, and a small one of all together.

    inspect eval tumble/NAME --model … -T mode=text -T limit=100 -T schema=true

`-T` sets the keys of the benchmark's selection, and what is common to all: `seed` draws other tasks for a `limit`,
`schema` tells providers the JSON schema of answers, `cache=false` asks again what was answered before, `simulate=N`,
`look=true` and `note=true` give the model tools. Tasks are ordered in turns over the templates, so that inspect's own
`--limit` is stratified too.
"""

from collections.abc import Callable, Iterable
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample

from tumble.benchmark import BenchmarkError, NoPuzzlesError, benchmark, benchmarks
from tumble.errors import TumbleError
from tumble.inspect_tasks.scorer import attempts
from tumble.inspect_tasks.solver import converse, samples_of
from tumble.llm.tools import ToolError, ToolSettings

SMALL = 20
"""Tasks of each benchmark in `all_small`."""


def benchmark_task(name: str) -> Callable[..., Task]:
    """The function that makes the task of a benchmark, registered under its name."""

    def make(
        schema: bool = False,
        cache: bool = True,
        seed: int = 0,
        simulate: int = 0,
        look: bool = False,
        note: bool = False,
        **selection: Any,
    ) -> Task:
        tools = ToolSettings(simulate, look, note)
        try:
            found = list(samples_of(name, selection, seed, tools=tools))
        except ToolError as error:
            raise BenchmarkError(f"{benchmark(name).title}: {error}") from None
        return _task(name, found, schema, cache)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"{benchmark(name).title}: {benchmark(name).summary}"
    return task(name=name)(make)


@task
def all_small(
    schema: bool = False,
    cache: bool = True,
    seed: int = 0,
    limit: int = SMALL,
    mode: str = "text",
    simulate: int = 0,
    look: bool = False,
    note: bool = False,
    **own: Any,
) -> Task:
    """A few tasks of every benchmark that has prompts; `limit` is that of each.

    Further keys of a benchmark's selection are given under its name, as in `-T NAME='{split: dev}'`; `-T NAME=false`
    leaves it out.
    """
    found: list[Sample] = []
    tools = ToolSettings(simulate, look, note)
    for name in benchmarks():
        given = own.pop(name, {})
        if given is False:
            continue
        if not isinstance(given, dict):
            raise BenchmarkError(f"{name}: give its keys as in -T {name}='{{key: value}}', or false to leave it out")
        try:
            found += samples_of(name, {"limit": limit, "mode": mode, **given}, seed, f"{name}/", tools)
        except NoPuzzlesError:
            continue
        except TumbleError as error:
            hint = f"give its keys as in -T {name}='{{key: value}}', or leave it out with -T {name}=false"
            raise BenchmarkError(f"{name}: {error} ({hint})") from None
    if own:
        raise BenchmarkError(f"no benchmark {next(iter(own))!r}; installed are {', '.join(benchmarks())}")
    return _task("all_small", found, schema, cache)


def _task(name: str, found: Iterable[Sample], schema: bool, cache: bool) -> Task:
    dataset = MemoryDataset(list(found), name=f"tumble/{name}")
    if not len(dataset):
        raise BenchmarkError(f"{name}: no task is selected")
    return Task(dataset=dataset, solver=converse(schema, cache), scorer=attempts())


TASKS = {name: benchmark_task(name) for name in benchmarks()}
