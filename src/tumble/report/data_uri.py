"""Data URIs, which embed pictures and videos in a page."""

import base64


def data_uri(content: bytes, kind: str) -> str:
    """The data URI of the bytes of a picture ("gif", "png") or video ("mp4")."""
    medium = "video" if kind == "mp4" else "image"
    return f"data:{medium}/{kind};base64,{base64.b64encode(content).decode()}"
