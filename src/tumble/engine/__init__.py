"""2D rigid bodies, many worlds at once, the same bits on every device."""
