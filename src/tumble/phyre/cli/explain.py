"""`tumble phyre explain`: which bodies mattered in an attempt, as a table, a picture or a page."""

import base64
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from tumble.engine import check_device
from tumble.errors import TumbleError
from tumble.output import check_target, console, print_line, reports_errors, table
from tumble.phyre.cli.describe import action_of, describe_balls, describe_goal, placement_problem, task_title
from tumble.phyre.cli.lookup import find_task
from tumble.phyre.cli.simulate import parse_number
from tumble.phyre.generation.explain import Explanation, Outcome, explain
from tumble.phyre.observation.animation import STEPS_PER_SECOND
from tumble.phyre.observation.body_names import body_name
from tumble.phyre.observation.causes import save_causes
from tumble.phyre.simulation.status import LABELS
from tumble.scene.files import whole_file

COLUMNS = ("body", "without it", "held still from its first contact", "mattered")


@reports_errors
def explain_attempt(text: str, numbers: list[str], out: Path | None, device: str) -> None:
    """Explains one attempt; raises TumbleError for an invalid action."""
    check_target(out, ".png", ".html")
    values = [parse_number(number) for number in numbers]
    check_device(device)
    task = find_task(text)
    action = action_of(task, values)
    problem = placement_problem(task.scene, action)
    if problem:
        raise TumbleError(f"invalid: {problem}")
    explanation = explain(task, action, device=device)
    title = f"{task_title(task)}: {describe_balls(action)}"
    print_line(title)
    print_line(_outcome(explanation))
    rows = table(*COLUMNS)
    for row in effect_rows(explanation):
        rows.add_row(*row)
    console().print(rows)
    for line in chain_lines(explanation):
        print_line(line)
    if out:
        if out.suffix.lower() == ".png":
            _save_picture(out, explanation)
        else:
            _save_page(out, explanation, title)
        print_line(f"Written: {out}")


def effect_rows(explanation: Explanation) -> list[tuple[str, str, str, str]]:
    """A row for each body that touched something or mattered, those that mattered first."""
    shown = [effect for effect in explanation.effects if effect.first_contact is not None or effect.mattered]
    shown.sort(key=lambda effect: not effect.mattered)
    goal = (explanation.task.body, explanation.task.other)
    return [
        (
            effect.name,
            "(part of the goal)" if effect.body in goal else _text(effect.removed),
            _text(effect.frozen),
            "yes" if effect.mattered else "",
        )
        for effect in shown
    ]


def chain_lines(explanation: Explanation) -> list[str]:
    """The contacts of the chain as numbered lines."""
    scene = explanation.scene
    if not explanation.chain:
        return ["No chain of contacts leads from a placed ball to the goal."]
    lines = []
    for number, link in enumerate(explanation.chain, 1):
        bodies = f"{body_name(scene, link.source)} → {body_name(scene, link.target)}"
        lines.append(f"{number}  {link.step / STEPS_PER_SECOND:.2f} s  {bodies}")
    return lines


def _outcome(explanation: Explanation) -> str:
    status = LABELS[explanation.status].capitalize()
    return f"{status} after {explanation.steps} steps: {describe_goal(explanation.task)}."


def _text(outcome: Outcome | None) -> str:
    """An outcome as text; empty where there is none."""
    if outcome is None:
        return ""
    return f"{LABELS[outcome.status]}, {outcome.steps} steps"


def _save_picture(path: Path, explanation: Explanation) -> None:
    links = explanation.chain
    marked = {*explanation.mattered, *(body for link in links for body in (link.source, link.target))}
    title = f"{explanation.task.id}: {LABELS[explanation.status]} after {explanation.steps} steps"
    points = [link.point for link in links]
    lines = chain_lines(explanation)
    save_causes(path, explanation.scene, explanation.trajectory, marked, points, title, lines)


def _save_page(path: Path, explanation: Explanation, title: str) -> None:
    """Writes a page of the picture and the table, in one file."""
    with TemporaryDirectory() as folder:
        picture = Path(folder) / "picture.png"
        _save_picture(picture, explanation)
        data = base64.b64encode(picture.read_bytes()).decode()
    head = "".join(f"<th>{escape(column)}</th>" for column in COLUMNS)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>\n" for row in effect_rows(explanation)
    )
    page = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>
<style>body {{ font: 15px sans-serif; max-width: 50em; margin: 2em auto; padding: 0 1em }}
img {{ max-width: 100%; width: 34em }} table {{ border-collapse: collapse; margin: 1em 0 }}
td, th {{ padding: .3em .8em; border-bottom: 1px solid #ddd; text-align: left }}</style></head>
<body><h1>{escape(title)}</h1><p>{escape(_outcome(explanation))}</p>
<img alt="the scene, bodies that mattered marked" src="data:image/png;base64,{data}">
<table><thead><tr>{head}</tr></thead><tbody>
{rows}</tbody></table></body></html>
"""
    with whole_file(path) as temporary:
        temporary.write_text(page, encoding="utf-8")
