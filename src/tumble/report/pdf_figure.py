"""Draws Matplotlib's figures on a canvas of ReportLab: as lines, areas and text, not as pixels."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.backend_bases import GraphicsContextBase, RendererBase
from matplotlib.path import Path as Outline

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
    from matplotlib.text import Text
    from matplotlib.transforms import Transform

POINTS_PER_INCH = 72
CAPS = {"butt": 0, "round": 1, "projecting": 2}
JOINS = {"miter": 0, "round": 1, "bevel": 2}


class CanvasRenderer(RendererBase):
    """Matplotlib's interface to a canvas; lengths are points, and y points up, for both."""

    def __init__(self, canvas: Any, size: tuple[float, float], fonts: tuple[str, str]) -> None:
        """`size` is that of the figure in points; `fonts` are the names of the regular and the bold one."""
        super().__init__()
        self._canvas, self._size, self._fonts = canvas, size, fonts

    def get_canvas_width_height(self) -> tuple[float, float]:
        return self._size

    def flipy(self) -> bool:
        return False

    def points_to_pixels(self, points: Any) -> Any:
        return points

    def draw_path(
        self,
        gc: GraphicsContextBase,
        path: Outline,
        transform: "Transform",
        rgbFace: Any = None,  # noqa: N803
    ) -> None:
        fill = rgbFace is not None and (len(rgbFace) < 4 or rgbFace[3] > 0.0)
        stroke = gc.get_linewidth() > 0.0 and gc.get_rgb()[3] > 0.0
        if not fill and not stroke:
            return
        self._canvas.saveState()
        self._clip(gc)
        if fill:
            opacity = gc.get_alpha() if gc.get_forced_alpha() or len(rgbFace) < 4 else rgbFace[3]
            self._canvas.setFillColorRGB(*map(float, rgbFace[:3]), alpha=float(opacity))
        if stroke:
            self._set_stroke(gc)
        self._canvas.drawPath(self._outline(path, transform), stroke=int(stroke), fill=int(fill))
        self._canvas.restoreState()

    def _set_stroke(self, gc: GraphicsContextBase) -> None:
        red, green, blue, opacity = map(float, gc.get_rgb())
        self._canvas.setStrokeColorRGB(red, green, blue, alpha=gc.get_alpha() if gc.get_forced_alpha() else opacity)
        self._canvas.setLineWidth(float(gc.get_linewidth()))
        self._canvas.setLineCap(CAPS[str(gc.get_capstyle())])
        self._canvas.setLineJoin(JOINS[str(gc.get_joinstyle())])
        dashes: Any
        offset, dashes = gc.get_dashes()
        if dashes is not None and len(dashes):
            self._canvas.setDash([float(length) for length in dashes], float(offset or 0.0))

    def _clip(self, gc: GraphicsContextBase) -> None:
        box = gc.get_clip_rectangle()
        if box is not None:
            area = self._canvas.beginPath()
            area.rect(*map(float, box.bounds))
            self._canvas.clipPath(area, stroke=0, fill=0)
        path: Any
        path, transform = gc.get_clip_path()
        if path is not None and transform is not None:
            self._canvas.clipPath(self._outline(path, transform), stroke=0, fill=0)

    def _outline(self, path: Outline, transform: "Transform") -> Any:
        outline = self._canvas.beginPath()
        at = np.zeros(2)
        for raw, code in path.iter_segments(transform, remove_nans=True, simplify=False):
            points = np.asarray(raw, float)
            if code == Outline.CLOSEPOLY:
                outline.close()
                continue
            if code == Outline.MOVETO:
                outline.moveTo(*points)
            elif code == Outline.LINETO:
                outline.lineTo(*points)
            elif code == Outline.CURVE3:
                outline.curveTo(*_cubic(at, points[:2], points[2:]))
            elif code == Outline.CURVE4:
                outline.curveTo(*points)
            at = points[-2:]
        return outline

    def draw_text(
        self,
        gc: GraphicsContextBase,
        x: float,
        y: float,
        s: str,
        prop: "FontProperties",
        angle: float,
        ismath: Any = False,
        mtext: "Text | None" = None,
    ) -> None:
        if ismath:
            super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)  # formulas become outlines
            return
        self._canvas.saveState()
        self._clip(gc)
        red, green, blue, opacity = map(float, gc.get_rgb())
        self._canvas.setFillColorRGB(red, green, blue, alpha=opacity)
        bold = str(prop.get_weight()) in ("bold", "semibold", "700", "600")
        self._canvas.setFont(self._fonts[bold], prop.get_size_in_points())
        self._canvas.translate(float(x), float(y))
        self._canvas.rotate(float(angle))
        self._canvas.drawString(0.0, 0.0, s)
        self._canvas.restoreState()


def _cubic(start: np.ndarray, control: np.ndarray, end: np.ndarray) -> Sequence[float]:
    """The last three points of the cubic curve that is the same as a quadratic one."""
    first, second = start + 2.0 / 3.0 * (control - start), end + 2.0 / 3.0 * (control - end)
    return [*first, *second, *end]


def draw_figure(figure: "Figure", canvas: Any, fonts: tuple[str, str]) -> None:
    """Draws a figure with its lower left corner at the canvas's origin."""
    figure.set_dpi(POINTS_PER_INCH)
    size = tuple(figure.get_size_inches() * POINTS_PER_INCH)
    figure.draw(CanvasRenderer(canvas, (float(size[0]), float(size[1])), fonts))
