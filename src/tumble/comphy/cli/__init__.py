"""What the commands of `tumble comphy` do; `tumble.cli` says what can be typed, and loads this when a command runs."""

from tumble.comphy.cli.data import export, generate, stats, verify
from tumble.comphy.cli.scoring import score_models, score_submission
from tumble.comphy.cli.showing import ask, show

__all__ = ["ask", "export", "generate", "score_models", "score_submission", "show", "stats", "verify"]
