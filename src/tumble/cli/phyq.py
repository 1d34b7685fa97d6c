"""The commands of `tumble phyq`: what can be typed."""

import typer

from tumble.cli import phyq_evaluate

app = typer.Typer(no_args_is_help=True, epilog="Example: tumble phyq evaluate --agent pig_shooter --runs runs")
phyq_evaluate.register(app)


@app.callback()
def phyq() -> None:
    """Phy-Q: shoot birds so that all pigs die."""
