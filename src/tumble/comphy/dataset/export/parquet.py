"""A dataset as Parquet tables, one file for each, with a dataset card and Croissant metadata."""

from pathlib import Path

from tumble.comphy.dataset.export.card import Summary, card_text, sample_text, yaml_header
from tumble.comphy.dataset.export.contact_sheet import write_contact_sheet
from tumble.comphy.dataset.export.croissant import TableFile, metadata
from tumble.comphy.dataset.export.folder import export_folder
from tumble.comphy.dataset.export.table_files import set_rows, write_tables
from tumble.comphy.dataset.export.tables import schemas_of, tables_text
from tumble.comphy.dataset.json_files import DataError, Fault, write_json
from tumble.comphy.dataset.load import Dataset
from tumble.progress import bar
from tumble.scene.files import whole_file

PICTURE = "sample.png"


def export(data: Dataset, folder: Path, name: str = "ComPhy, made by Tumble") -> None:
    """Writes the tables, croissant.json and the card (README.md)."""
    with export_folder(data, folder, "parquet"):
        summary = Summary(name, data.settings, data.physics_id)
        schemas = schemas_of(data.world)
        files = {table: folder / f"{table}.parquet" for table in schemas}
        with bar("Exporting", len(data.indices())) as advance:
            write_tables(set_rows(data, None, summary, advance), files, schemas)
        tables = [TableFile(table, path, schemas[table]) for table, path in files.items()]
        write_json(folder / "croissant.json", metadata(summary, folder, tables))
        sections = {"Tables": tables_text({table: path.name for table, path in files.items()})}
        write_card(data, folder, summary, sections, yaml_header(summary, {}))


def write_card(data: Dataset, folder: Path, summary: Summary, sections: dict[str, str], header: str) -> None:
    """Writes the card, with a picture of a set if there are videos."""
    picture = None
    if summary.sample is not None and data.has_videos:
        try:
            write_contact_sheet(folder / PICTURE, summary.sample)
            picture = PICTURE
        except DataError as error:
            data.faults.append(Fault(f"set {summary.sample.index:05d}", str(error)))
    shown = {**sections, "Sample": sample_text(summary, picture)}
    with whole_file(folder / "README.md") as partial:
        partial.write_text(card_text(summary, shown, data.faults, header), encoding="utf-8")
