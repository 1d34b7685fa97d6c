"""`tumble comphy export`: writes datasets and answers in other formats."""

from collections.abc import Sequence
from pathlib import Path

from tumble.comphy.dataset.export import parquet
from tumble.comphy.dataset.export.clevrer import write_clevrer
from tumble.comphy.dataset.export.cpl import write_cpl
from tumble.comphy.dataset.export.huggingface import write_huggingface
from tumble.comphy.dataset.export.pcr import write_pcr
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.dataset.submission import write_submission
from tumble.comphy.evaluation.log_rows import answers_of
from tumble.comphy.evaluation.run_spec import ComPhyRunSpec
from tumble.errors import TumbleError
from tumble.output import check_target, plural, print_error, print_line, reports_errors, resume_hint
from tumble.runs.folders import name_folders
from tumble.runs.log import read
from tumble.runs.run import spec_of

WRITERS = {
    "pcr": write_pcr,
    "cpl": write_cpl,
    "clevrer": write_clevrer,
    "parquet": parquet.export,
    "huggingface": write_huggingface,
}
SUBMISSION = "submission"
FORMATS = (*WRITERS, SUBMISSION)


@reports_errors
def export(place: Path, file_format: str, out: Path, data_folders: Sequence[Path] = ()) -> None:
    """Writes a dataset in another format, or the answers of a run log as a submission."""
    name_folders(data_folders)
    if file_format not in FORMATS:
        raise TumbleError(f"no format {file_format!r}; there are {', '.join(FORMATS)}")
    if file_format == SUBMISSION:
        check_target(out, ".json")
        log = read(place)
        sets = spec_of(log, ComPhyRunSpec).key()
        write_submission(out, sets, answers_of(log, sets))
        print_line(f"Written to {out}: the answers about {plural(len(log.tasks), 'set')}.")
        return
    data = open_dataset(place)
    with resume_hint(f"the export in {out} is unfinished; repeat the command to write it again"):
        WRITERS[file_format](data, out)
    for fault in data.faults:
        print_error(f"skipped: {fault}")
    if file_format == "pcr" and not data.has_videos:
        print_error("the dataset has no videos, so the export has no pictures; everything else is written")
    print_line(f"Written to {out}; README.md there says what it holds.")
