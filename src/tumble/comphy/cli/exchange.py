"""`tumble comphy export`: datasets in other forms."""

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

FORMS = ("parquet", "clevrer", "submission")


@reports_errors
def export(place: Path, form: str, out: Path) -> None:
    """Write a dataset in another form, or the answers of a run log as a submission."""
    if form not in FORMS:
        raise TumbleError(f"no form {form!r}; there are {', '.join(FORMS)}")
    if form == "submission":
        check_target(out, ".json")
        log = read(place)
        sets = spec_of(log, ComPhyRunSpec).key()
        write_submission(out, sets, answers_of(log, sets))
        print_line(f"Written to {out}: the answers about {plural(len(log.tasks), 'set')}.")
        return
    data = open_dataset(place)
    if form == "clevrer":
        write_clevrer(data, out)
    else:
        parquet.export(data, out)
    for fault in data.faults:
        print_error(f"left out: {fault}")
    print_line(f"Written to {out}.")
