"""Questions as programs, and what executes them."""
