"""What the commands of `tumble phyq` do; `tumble.cli` says what can be typed, and loads this when a command runs."""

from tumble.phyq.cli.browsing import list_scenarios, list_templates, show
from tumble.phyq.cli.checking import check
from tumble.phyq.cli.checking import make as make_again
from tumble.phyq.cli.exchange import export, export_all, import_level
from tumble.phyq.cli.given import Given
from tumble.phyq.cli.playing import play
from tumble.phyq.cli.scoring import score_file, score_logs, score_published
from tumble.phyq.cli.shooting import shoot

__all__ = [
    "Given",
    "check",
    "export",
    "export_all",
    "import_level",
    "list_scenarios",
    "list_templates",
    "make_again",
    "play",
    "score_file",
    "score_logs",
    "score_published",
    "shoot",
    "show",
]
