"""Forges run logs, and counts those that a leaderboard refuses, marks as unproved, or is stopped by.

    python benchmarks/robustness/leaderboard_forged.py [--logs 100] [--headers 200] [--parts attempts headers odd]

Attempts: one action is changed in each of 100 logs, which keep their results, claim others, leave a task out, or have
other bytes. Headers: every field that a row shows, set to values of its own type and of others. Odd logs say odd
things, with right digests, beside an honest one, which must still be listed and reported. What forges them is with the
tests (tests/leaderboard), which do the same with fewer logs. The exit code is 1 if anything is listed that must not be.
"""

import random
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parents[1]))
sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "leaderboard"))

import forged_logs as forged
from odd_logs import odd_logs
from table import Results, arguments, timed

from tumble.leaderboard.check import check_logs
from tumble.runs.log import FINISHED_SUFFIX, read, write_finished

BYTES = "bytes only"


def attempts(results: Results, logs: int, folder: Path) -> bool:
    """Adds the rows of changed attempts; returns whether any is listed that must not be."""
    paths = forged.make_logs(folder / "honest", max(1, logs // 20))
    honest, refused = check_logs(paths)
    results.add("honest logs listed", f"{len(honest)} of {len(paths)}", f"{len(paths)} of {len(paths)}")
    wrong = bool(refused)
    paths = [path for path in paths if any(row["status"] == forged.SOLVED for row in read(path).rows())]
    for name in (*forged.KINDS, BYTES):
        draw, target = random.Random(name), folder / name.replace(" ", "-").replace(",", "")
        target.mkdir()
        for number in range(logs):
            source, file = paths[number % len(paths)], target / f"{number:03d}{FINISHED_SUFFIX}"
            if name == BYTES:
                forged.change_bytes(source, file, draw)
            else:
                write_finished(forged.KINDS[name](read(source), draw), file)
        for rerun in (True, False) if name != BYTES else (True,):
            seconds, (listed, refused) = timed(lambda t=target, r=rerun: check_logs([t], r))
            is_must = rerun or not name.startswith("results kept")  # another action may have the same result
            label = name if rerun else f"{name}, replay only"
            note = f"{seconds:.0f} s; first: {refused[0].text.rpartition('/')[2] if refused else '-'}"
            value, must = f"{len(refused)} of {logs}", f"{logs} of {logs}" if is_must else ""
            results.add(f"refused: {label}", value, must, "", note)
            wrong |= is_must and bool(listed)
    return wrong


def headers(results: Results, count: int, folder: Path) -> bool:
    """Adds the rows of forged headers; returns whether any is listed as proved."""
    start = time.monotonic()
    verdicts, proved = forged.header_verdicts(forged.header_logs(folder / "own"), count, folder / "headers")
    total = f"of {verdicts.total() - verdicts['not shown']}"
    note = f"{time.monotonic() - start:.0f} s; {verdicts['not shown']} more changed nothing that a row shows"
    note = "; ".join([note, *proved[:3]])
    results.add("forged headers listed as proved", f"{len(proved)} {total}", f"0 {total}", "", note)
    results.add("forged headers refused", f"{verdicts['refused']} {total}")
    said = verdicts["author's word"]
    results.add("forged headers listed as the author's word", f"{said} {total}")
    return bool(proved)


def odd(results: Results, folder: Path) -> bool:
    """Adds the rows of odd logs beside an honest one; returns whether any stops a leaderboard or a report."""
    honest = forged.user_log(folder / "user")
    (folder / "odd").mkdir()
    logs = odd_logs(read(honest), folder / "odd")
    seconds, (stopped, refused) = timed(lambda: forged.stopped_by([*logs.values()], honest, folder))
    kinds = {path: kind for kind, path in logs.items()}
    note = "; ".join([f"{refused} refused by name; {seconds:.0f} s", *(kinds[path] for path in stopped[:3])])
    total = f"of {len(logs)}"
    results.add("odd logs that stop a leaderboard or a report", f"{len(stopped)} {total}", f"0 {total}", "", note)
    return bool(stopped)


def main() -> None:
    given = arguments(__doc__, logs=100, headers=200, parts=("attempts", "headers", "odd"))
    results = Results("Leaderboard: forged and odd logs")
    with TemporaryDirectory() as name:
        parts = {
            "attempts": lambda: attempts(results, given.logs, Path(name)),
            "headers": lambda: headers(results, given.headers, Path(name)),
            "odd": lambda: odd(results, Path(name)),
        }
        wrong = [parts[part]() for part in given.parts]
    results.keep_others("leaderboard-forged")
    results.finish("leaderboard-forged")
    sys.exit(any(wrong))


if __name__ == "__main__":
    main()
