"""Pictures and films that stand in a page itself."""

import base64


def data_uri(content: bytes, kind: str) -> str:
    """The address of a picture ("gif", "png") or film ("mp4") that is given by its bytes."""
    medium = "video" if kind == "mp4" else "image"
    return f"data:{medium}/{kind};base64,{base64.b64encode(content).decode()}"
