"""Data URIs, which embed pictures and videos in a page."""

import base64
from urllib.parse import quote


def data_uri(content: bytes, kind: str) -> str:
    """The data URI of the bytes of a picture ("gif", "png", "webp") or video ("mp4")."""
    medium = "video" if kind == "mp4" else "image"
    return f"data:{medium}/{kind};base64,{base64.b64encode(content).decode()}"


def svg_uri(svg: str) -> str:
    """The data URI of an SVG picture, as text, which is smaller than base64."""
    return "data:image/svg+xml," + quote(svg, safe=" =:/;,.-()")
