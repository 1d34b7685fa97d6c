"""`tumble comphy export`: datasets in other forms."""

from pathlib import Path

from tumble.comphy.dataset.export import parquet
from tumble.comphy.dataset.export.clevrer import write_clevrer
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.dataset.submission import write_submission
from tumble.comphy.evaluation.log_rows import answers_of
from tumble.comphy.evaluation.result import check
from tumble.comphy.evaluation.run_spec import from_header
from tumble.output import check_target, complain, counted, refusing, say
from tumble.runs.log import read

FORMS = ("parquet", "clevrer", "submission")


@refusing
def export(place: Path, form: str, out: Path) -> None:
    """Write a dataset in another form, or the answers of a run log as a submission."""
    if form not in FORMS:
        raise ValueError(f"no form {form!r}; there are {', '.join(FORMS)}")
    if form == "submission":
        check_target(out, ".json")
        log = read(place)
        check(log)
        sets = from_header(log.header).key()
        write_submission(out, sets, answers_of(log, sets))
        say(f"Written to {out}: the answers about {counted(len(log.tasks), 'set')}.")
        return
    data = open_dataset(place)
    if form == "clevrer":
        write_clevrer(data, out)
    else:
        parquet.export(data, out)
    for fault in data.faults:
        complain(f"left out: {fault}")
    say(f"Written to {out}.")
