"""Numbers and positions in prompts."""


def number_text(value: float) -> str:
    """A length in pixels or an angle in degrees, with one decimal unless it is whole.

    >>> number_text(12.04), number_text(-0.04), number_text(6.25)
    ('12', '0', '6.2')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def point_text(point: tuple[float, ...]) -> str:
    """A position, as in (12.5, 100)."""
    return f"({', '.join(map(number_text, point))})"
