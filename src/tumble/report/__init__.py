"""Documents of tables, figures and pictures: as one HTML page, and in the terminal."""

from tumble.report.document import Document, Film, Picture

__all__ = ["Document", "Film", "Picture"]
