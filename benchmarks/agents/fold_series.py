"""Runs of an agent on several folds, from brief logs: means, standard deviations and what is compared with them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tumble import engine
from tumble.phyre.evaluation.brief_log import BriefResult


@dataclass(frozen=True)
class Series:
    """An agent's runs with the same settings, by fold."""

    setting: str
    agent: str
    variant: str
    split: str
    runs: dict[int, BriefResult]

    @property
    def folds(self) -> list[int]:
        return sorted(self.runs)

    @property
    def auccess(self) -> list[float]:
        """In percent, in the order of folds."""
        return [self.runs[fold].auccess for fold in self.folds]

    def success(self, attempts: int) -> list[float]:
        return [self.runs[fold].success(attempts) for fold in self.folds]

    @property
    def parallel(self) -> int:
        """The most jobs that shared the machine."""
        return max(run.parallel for run in self.runs.values())


def series_of(results: Iterable[BriefResult]) -> list[Series]:
    """Series of complete runs, those of limited tasks or of other physics left out; sorted."""
    found: dict[tuple[str, str, str, str], dict[int, BriefResult]] = {}
    for one in results:
        if one.limit is None and one.physics == engine.physics_id():
            found.setdefault((one.setting, one.agent, one.variant, one.split), {})[one.fold] = one
    return [Series(*key, runs) for key, runs in sorted(found.items())]


def mean_and_deviation(values: Sequence[float]) -> str:
    """As in 36.8 ± 9.7; the deviation is that of a sample, as in the paper."""
    deviation = f" ± {np.std(values, ddof=1):.1f}" if len(values) > 1 else ""
    return f"{np.mean(values):.1f}{deviation}"


def machines(results: Iterable[BriefResult]) -> str:
    """The machine that most runs were made on."""
    names = [one.machine for one in results]
    return max(set(names), key=names.count) if names else ""


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, ["---"] * len(header), *rows))
