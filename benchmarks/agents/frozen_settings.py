"""Settings of agents that are frozen before a test fold is run: benchmarks/frozen/phyre.json, which git must have.

`phyre_folds.py --freeze NAME` writes entries, `fold_driver.plan` refuses runs on test folds that have none. Entries are
added, never changed: other settings take another name.
"""

import json
import re
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from fold_job import AgentRun

from tumble.errors import TumbleError
from tumble.phyre.evaluation.brief_log import BriefResult
from tumble.scene.files import whole_file

FILE = Path(__file__).resolve().parents[1] / "frozen" / "phyre.json"


class FrozenError(TumbleError):
    """Settings are not frozen, or the file that freezes them is not what is committed."""


@dataclass(frozen=True)
class Frozen:
    """An agent's settings for the test folds of a setting of PHYRE."""

    name: str
    setting: str
    agent: str
    settings: dict[str, Any]
    digest: str
    """Of the three fields before it."""
    date: str
    validation: str
    """The score on validation tasks that these settings had before; empty if they were not run there."""
    because: str
    """What chose them, where validation tasks did not."""


def digest_of(setting: str, agent: str, settings: dict[str, Any]) -> str:
    """A digest of settings."""
    return sha256(json.dumps([setting, agent, settings], sort_keys=True).encode()).hexdigest()[:16]


def read(path: Path = FILE) -> list[Frozen]:
    """The entries of a file, none if there is no such file; a FrozenError for an entry that was changed by hand."""
    if not path.exists():
        return []
    names = {field.name for field in fields(Frozen)}
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(values, list) or any(not isinstance(one, dict) or one.keys() != names for one in values):
            raise ValueError(f"it must be a list of objects with {', '.join(sorted(names))}")
    except ValueError as error:
        raise FrozenError(f"{path}: {error}") from None
    entries = [Frozen(**one) for one in values]
    for one in entries:
        if one.digest != digest_of(one.setting, one.agent, one.settings):
            raise FrozenError(f"{path}: {one.name}, {one.agent}, {one.setting}: its settings do not have its digest")
    return entries


def freeze(
    name: str, runs: Iterable[tuple[str, AgentRun]], known: Sequence[BriefResult], because: str, path: Path = FILE
) -> list[Frozen]:
    """Adds entries for runs, given with their settings of PHYRE, with the validation scores that known runs have."""
    entries = read(path)
    added = []
    for setting, run in runs:
        if any((one.name, one.setting, one.agent) == (name, setting, run.agent) for one in entries):
            raise FrozenError(f"{path}: {name!r} has settings of {run.agent} for {setting}; take another name")
        validation = _validation(setting, run, known)
        if not validation and not because:
            raise FrozenError(
                f"{run.agent}, {setting}: no run on validation tasks has these settings; --because says what chose them"
            )
        digest = digest_of(setting, run.agent, run.settings)
        today = date.today().isoformat()
        added.append(Frozen(name, setting, run.agent, run.settings, digest, today, validation, because))
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as partial:
        partial.write_text(json.dumps([asdict(one) for one in (*entries, *added)], indent=1) + "\n", encoding="utf-8")
    return added


def _validation(setting: str, run: AgentRun, known: Iterable[BriefResult]) -> str:
    scores = {
        one.fold: one.auccess
        for one in known
        if (one.setting, one.agent, one.split, one.limit) == (setting, run.agent, "validation", None)
        and one.settings == run.settings
    }
    folds = ", ".join(str(fold) for fold in sorted(scores))
    return f"AUCCESS {np.mean(list(scores.values())):.1f} on validation tasks of folds {folds}" if scores else ""


def commit_of(setting: str, runs: Iterable[AgentRun], given: str = "", path: Path = FILE) -> str:
    """The commit of the file that freezes all of these runs; a FrozenError if there is none.

    In a copy without git, `given` is the commit, which is taken as it is.
    """
    frozen = {(one.setting, one.agent, json.dumps(one.settings, sort_keys=True)) for one in read(path)}
    for run in runs:
        if (setting, run.agent, json.dumps(run.settings, sort_keys=True)) not in frozen:
            raise FrozenError(
                f"{run.agent}, {setting}, {run.variant}: a test fold is run with frozen settings only; "
                f"phyre_folds.py --freeze NAME adds them to {path}, which is committed before the run"
            )
    return _committed(path, given)


def _committed(path: Path, given: str) -> str:
    if given and not re.fullmatch("[0-9a-f]{7,40}", given):
        raise FrozenError(f"{given!r} is no commit: 7 to 40 hexadecimal digits")
    if _git(path, "rev-parse", "--is-inside-work-tree") is None:
        if not given:
            raise FrozenError(f"{path}: there is no git here to tell its commit; give --frozen-commit HASH")
        return given
    commit = _git(path, "log", "-1", "--format=%H", "--", path.name)
    if not commit or _git(path, "status", "--porcelain", "--", path.name):
        raise FrozenError(f"{path} is not as it was committed; commit it before a test fold is run")
    if not commit.startswith(given):
        raise FrozenError(f"--frozen-commit {given}: the commit of {path} is {commit}")
    return commit


def _git(path: Path, *arguments: str) -> str | None:
    """What git prints, run in the folder of a file; None if there is no git, or it fails."""
    command = ["git", "-C", str(path.parent), *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
