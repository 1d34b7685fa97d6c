"""Writes the site of a leaderboard, whole or not at all."""

import re
import shutil
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from tumble.benchmark import report_of
from tumble.errors import TumbleError
from tumble.leaderboard.check import Entry, Refusal, check_logs, single_entries
from tumble.leaderboard.compose import compose, data_text
from tumble.report import page
from tumble.report.document import Part
from tumble.runs.log import read
from tumble.runs.public import without_private, write_public

PAGE, DATA, LOGS = "index.html", "leaderboard.json", "logs"


class LeaderboardError(TumbleError):
    """A site that can't be built."""


def build(places: Sequence[Path], site: Path, rerun: bool = True, copy_logs: bool = False) -> "Built":
    """Replays run logs and writes a site of those that replay: a page, and the same as JSON.

    With `copy_logs`, the site also has the logs, so that visitors can replay them; what is private is left out.
    """
    check_target(site)
    entries, refusals = check_logs(places, rerun)
    entries, copies = single_entries(entries)
    reports, problems = _reports(entries)
    refusals = [*refusals, *copies, *problems]
    unusable = {refusal.path for refusal in problems}
    entries = [entry for entry in entries if entry.log.path not in unusable]
    if not entries:
        raise LeaderboardError("; ".join(["no log may be listed", *(refusal.text for refusal in refusals)]))
    _write(entries, refusals, reports, site, copy_logs)
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


def _reports(entries: Sequence[Entry]) -> tuple[dict[str, Sequence[Part]], list[Refusal]]:
    """The report of each benchmark by its name; and the logs that no report can be made of."""
    reports: dict[str, Sequence[Part]] = {}
    problems = []
    for of in {entry.benchmark.name: entry.benchmark for entry in entries}.values():
        logs = [entry.log for entry in entries if entry.benchmark.name == of.name]
        reports[of.name], reasons = report_of(of, logs, 0)
        problems += [Refusal(path, reason) for path, reason in reasons.items()]
    return reports, problems


def _write(
    entries: Sequence[Entry],
    refusals: Sequence[Refusal],
    reports: Mapping[str, Sequence[Part]],
    site: Path,
    copy_logs: bool,
) -> None:
    new, old = (site.with_name(f".{site.name}-{uuid4().hex}") for _ in range(2))
    try:
        new.mkdir()
        copies: dict[Path, str] = {}
        if copy_logs:
            (new / LOGS).mkdir()
            for entry in entries:
                digest = _copy(entry, new / LOGS)
                if digest != entry.digest:
                    copies[entry.log.path] = digest
        page.write(compose(entries, refusals, reports, copies), new / PAGE)
        (new / DATA).write_text(data_text(entries), encoding="utf-8")
        if site.exists():
            site.rename(old)
        new.rename(site)
    finally:
        shutil.rmtree(new, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _copy(entry: Entry, folder: Path) -> str:
    """Copies the log as it is, or written anew if something in it is private; returns the SHA-256 of the copy."""
    source = entry.log.path
    content = source.read_bytes()
    if sha256(content).hexdigest() != entry.digest:
        raise LeaderboardError(f"{source}: it has changed since it was replayed; build again")
    target = folder / _log_name(entry)
    log = read(source)
    cleaned = without_private(log)
    if (cleaned.header, cleaned.given_up) == (log.header, log.given_up):
        target.write_bytes(content)
    else:
        target = write_public(log, target)
    return sha256(target.read_bytes()).hexdigest()


def _log_name(entry: Entry) -> str:
    """The file name of a log in the site, with the start of its digest, as logs of several folders may share a name."""
    path = entry.log.path
    return f"{re.sub(r'[^A-Za-z0-9._-]+', '_', path.stem)[:100]}-{entry.digest[:8]}{path.suffix}"
