"""Pictures that stand in a page itself."""

import base64


def data_uri(content: bytes, kind: str) -> str:
    """The address of a picture of a kind ("gif", "png") that is given by its bytes."""
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"
