"""`tumble comphy export`: writes datasets and answers in other formats."""

from pathlib import Path

from tumble.comphy.dataset.export import parquet
from tumble.comphy.dataset.export.clevrer import write_clevrer
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.dataset.submission import write_submission
from tumble.comphy.evaluation.log_rows import answers_of
from tumble.comphy.evaluation.run_spec import ComPhyRunSpec
from tumble.errors import TumbleError
from tumble.output import check_target, plural, print_error, print_line, reports_errors
from tumble.runs.log import read
from tumble.runs.run import spec_of

FORMATS = ("parquet", "clevrer", "submission")


@reports_errors
def export(place: Path, file_format: str, out: Path) -> None:
    """Writes a dataset in another format, or the answers of a run log as a submission."""
    if file_format not in FORMATS:
        raise TumbleError(f"no format {file_format!r}; there are {', '.join(FORMATS)}")
    if file_format == "submission":
        check_target(out, ".json")
        log = read(place)
        sets = spec_of(log, ComPhyRunSpec).key()
        write_submission(out, sets, answers_of(log, sets))
        print_line(f"Written to {out}: the answers about {plural(len(log.tasks), 'set')}.")
        return
    data = open_dataset(place)
    if file_format == "clevrer":
        write_clevrer(data, out)
    else:
        parquet.export(data, out)
    for fault in data.faults:
        print_error(f"skipped: {fault}")
    print_line(f"Written to {out}.")
