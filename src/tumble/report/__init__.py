"""Documents of text, tables, figures, pictures and videos: as an HTML page, CSV, LaTeX, or in the terminal."""

from tumble.report.document import Document, Picture, Video

__all__ = ["Document", "Picture", "Video"]
