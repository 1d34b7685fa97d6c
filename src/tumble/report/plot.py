"""Figures of Matplotlib that are drawn when a format needs them: SVG for pages, PDF for papers."""

import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial, wraps
from typing import TYPE_CHECKING, Any, ParamSpec

if TYPE_CHECKING:
    from matplotlib.figure import Figure

P = ParamSpec("P")


@dataclass(frozen=True, eq=False)
class Plot:
    """A figure that is not drawn yet."""

    draw: "Callable[[], Figure]"
    """Draws it anew."""

    @cached_property
    def svg(self) -> str:
        """The <svg> element; equal figures give equal text."""
        text = self._written("svg").decode()
        return text[text.index("<svg") :]

    @cached_property
    def pdf(self) -> bytes:
        """A PDF file of one page."""
        return self._written("pdf")

    def _written(self, kind: str) -> bytes:
        stream = io.BytesIO()
        with drawing_style():
            dates = {"Date": None} if kind == "svg" else {"CreationDate": None}
            self.draw().savefig(stream, format=kind, metadata=dates)
        return stream.getvalue()


def plotted(draw: "Callable[P, Figure]") -> Callable[P, Plot]:
    """Makes a function that draws a figure return it as a Plot."""

    @wraps(draw)
    def deferred(*args: P.args, **kwargs: P.kwargs) -> Plot:
        return Plot(partial(draw, *args, **kwargs))

    return deferred


@contextmanager
def drawing_style() -> Iterator[None]:
    """Keeps text as text, also with dollar signs, and makes equal figures give equal files."""
    import matplotlib  # imported here: it takes half a second to load

    style: Any = {"svg.fonttype": "none", "svg.hashsalt": "tumble", "pdf.fonttype": 42, "font.size": 9}
    style["text.parse_math"] = False
    with matplotlib.rc_context(style), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # of a name; a page has more fonts
        yield
