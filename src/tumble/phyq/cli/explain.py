"""`tumble phyq explain`: the chain of causes in a solution, as text and as a picture."""

from pathlib import Path

from tumble.engine import check_device
from tumble.output import check_target, print_line, reports_errors
from tumble.phyq.cli.cause_picture import save_causes
from tumble.phyq.cli.describe import describe_outcome, describe_shot, task_title
from tumble.phyq.cli.lookup import find_task
from tumble.phyq.cli.shot_options import ShotOptions, check_shot_count
from tumble.phyq.generation.explain import Explanation, explain
from tumble.phyq.generation.solutions import solution


@reports_errors
def explain_task(text: str, options: ShotOptions, png: Path | None, width: int, device: str) -> None:
    """Explains the stored solution of a task, or given shots."""
    check_target(png, ".png")
    check_device(device)
    task = find_task(text)
    shots = options.parse() if options.is_given else list(solution(task.id).shots)
    check_shot_count(task.level, len(shots))
    explanation = explain(task, shots, device)
    print_line(task_title(task))
    for colour, shot in zip(task.level.birds, shots, strict=False):
        print_line(f"{colour} bird: {describe_shot(shot)}")
    print_line("")
    for line in explanation.lines():
        print_line(line)
    print_line("")
    print_line(describe_outcome(explanation.episodes, 0))
    for line in rule_lines(explanation):
        print_line(line)
    if png:
        save_causes(png, explanation, task_title(task), width)
        print_line(f"Picture: {png}")


def rule_lines(explanation: Explanation) -> list[str]:
    """The rule of the template, when its events occurred, and whether it is followed."""
    rule, verdict = explanation.rule, explanation.verdict
    if rule is None or verdict is None:
        return ["No rule is stored for this level."]
    lines = ["Rule:"]
    for sequence, steps in zip(rule.sequences, (*verdict.steps, *[()] * len(rule.sequences)), strict=False):
        times = [f"{explanation.seconds(step):.2f} s" for step in steps] + ["not found"] * (len(sequence) - len(steps))
        lines += [f"  {time:>9}  {event}" for event, time in zip(sequence, times, strict=True)]
    lines += [f"      never  {event}" for event in rule.never]
    return [*lines, f"The rule is {verdict}."]
