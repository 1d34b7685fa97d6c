"""Documents of text, tables, figures, pictures and videos: as one HTML page, or in the terminal."""

from tumble.report.document import Document, Picture, Video

__all__ = ["Document", "Picture", "Video"]
