"""The implementation of `tumble study`."""

from pathlib import Path

from tumble.benchmark import benchmark as benchmark_by_name
from tumble.benchmark import benchmarks, open_study
from tumble.output import check_target, console, plural, print_line, reports_errors, spinner
from tumble.report import page, text_formats
from tumble.scene.files import whole_file
from tumble.studies.database import private_files
from tumble.studies.export import export_study as export_logs
from tumble.studies.quality import compose_report, read_progress
from tumble.studies.study import StudyError, example_study

MOST_PRINTED = 200
"""Participants in the list that is printed."""


@reports_errors
def new(file: Path, name: str | None) -> None:
    """Writes the example of a study."""
    check_target(file, ".toml")
    if file.exists():
        raise StudyError(f"{file} exists; name a new file")
    able = [one.name for one in benchmarks().values() if one.study_example]
    chosen = benchmark_by_name(name if name is not None else next(iter(able), ""))
    if not chosen.study_example:
        raise StudyError(f"{chosen.title} has no studies with people; there are {', '.join(able)}")
    with whole_file(file) as partial:
        partial.write_text(example_study(chosen.name, chosen.study_example), encoding="utf-8")
    print_line(f"Written to {file}. Change it as you like; then: tumble study invite {file}")


@reports_errors
def invite(file: Path, count: int) -> None:
    """Prints new codes."""
    with open_study(file) as store:
        for code in store.invite(count):
            print_line(code)


@reports_errors
def export(file: Path, folder: Path) -> None:
    """Writes run logs."""
    with open_study(file) as store, spinner("Writing run logs …"):
        paths = export_logs(store, folder)
    print_line(f"{plural(len(paths), 'run log')} of people:")
    for path in paths:
        print_line(f"  {path}")


@reports_errors
def report(file: Path, target: Path | None) -> None:
    """Prints the report of a study, and writes it as a page, which only its owner may read: it has codes."""
    check_target(target, ".html", ".htm")
    with open_study(file) as store:
        store.finish_all()
        progress = read_progress(store)
        text_formats.print_document(compose_report(store, progress, MOST_PRINTED), console())
        if target is not None:
            with private_files():
                page.write(compose_report(store, progress), target)
            print_line(f"Written to {target}.")
