"""Writes the site of a leaderboard, whole or not at all."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

from tumble.errors import TumbleError
from tumble.leaderboard.check import Entry, Refusal, check_logs
from tumble.leaderboard.compose import compose, rows_of
from tumble.report import page
from tumble.runs.copies import without_copies

PAGE, DATA, LOGS = "index.html", "leaderboard.json", "logs"


class LeaderboardError(TumbleError):
    """A site that can't be built."""


def build(places: Sequence[Path], site: Path, rerun: bool = True, copy_logs: bool = False) -> "Built":
    """Replays run logs and writes a site of those that replay: a page, and the same as JSON.

    With `copy_logs`, the site also has the logs, so that visitors can replay them.
    """
    check_target(site)
    entries, refusals = check_logs(places, rerun)
    entries, copies = _single(entries)
    refusals = [*refusals, *copies]
    if not entries:
        raise LeaderboardError("; ".join(["no log may be listed", *(refusal.text for refusal in refusals)]))
    _write(entries, refusals, site, copy_logs)
    return Built(entries, refusals)


class Built:
    """What a site lists, and which files were refused."""

    def __init__(self, entries: Sequence[Entry], refusals: Sequence[Refusal]) -> None:
        self.entries, self.refusals = list(entries), list(refusals)


def check_target(site: Path) -> None:
    """Refuses a folder that holds anything but an earlier leaderboard."""
    if not site.parent.is_dir():
        raise LeaderboardError(f"{site}: there is no folder {site.parent}")
    if site.exists() and not site.is_dir():
        raise LeaderboardError(f"{site} is a file; name a folder")
    if site.is_dir() and any(site.iterdir()) and not (site / DATA).is_file():
        raise LeaderboardError(f"{site} holds something else than a leaderboard; name a new folder")


def _single(entries: Sequence[Entry]) -> tuple[list[Entry], list[Refusal]]:
    """The entries without copies of a run, which are refused."""
    kept: set[Path] = set()
    refusals = []
    for of in {entry.benchmark for entry in entries}:
        logs, copies = without_copies([one.log for one in entries if one.benchmark is of], of.spec.no_effect)
        kept |= {log.path for log in logs}
        refusals += [Refusal(copy.path, f"the same run as {copy.used.name}, which is listed") for copy in copies]
    return [entry for entry in entries if entry.log.path in kept], refusals


def _write(entries: Sequence[Entry], refusals: Sequence[Refusal], site: Path, copy_logs: bool) -> None:
    new, old = (site.with_name(f".{site.name}-{uuid4().hex}") for _ in range(2))
    try:
        new.mkdir()
        page.write(compose(entries, refusals), new / PAGE)
        (new / DATA).write_text(json.dumps({"runs": rows_of(entries)}, indent=1), encoding="utf-8")
        if copy_logs:
            (new / LOGS).mkdir()
            for entry in entries:
                shutil.copyfile(entry.log.path, new / LOGS / _log_name(entry))
        if site.exists():
            site.rename(old)
        new.rename(site)
    finally:
        shutil.rmtree(new, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _log_name(entry: Entry) -> str:
    """The file name of a log in the site, with the start of its digest, as logs of several folders may share a name."""
    return f"{entry.log.path.stem}-{entry.digest[:8]}{entry.log.path.suffix}"
