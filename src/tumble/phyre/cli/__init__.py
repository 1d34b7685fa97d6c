"""What the commands of `tumble phyre` do; `tumble.cli` says what can be typed, and loads this when a command runs."""

from tumble.phyre.cli.analysing import analyse
from tumble.phyre.cli.browsing import describe_template, list_templates, show
from tumble.phyre.cli.evaluating import evaluate
from tumble.phyre.cli.importing import import_tasks
from tumble.phyre.cli.simulating import simulate
from tumble.phyre.cli.sweeping import sweep, verify

__all__ = [
    "analyse",
    "describe_template",
    "evaluate",
    "import_tasks",
    "list_templates",
    "show",
    "simulate",
    "sweep",
    "verify",
]
