"""Values as compact JSON."""

import json

from starlette.responses import Response


def json_bytes(value: object) -> bytes:
    """A value as JSON, without spaces."""
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def json_response(value: object) -> Response:
    """A response with a value as JSON."""
    return Response(json_bytes(value), media_type="application/json")
