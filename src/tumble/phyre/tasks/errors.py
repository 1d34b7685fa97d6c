"""The errors of tasks and templates."""

from tumble.errors import TumbleError


class TaskError(TumbleError):
    """A task, tier, setting or fold that does not exist, or a task that is not valid."""


class TemplateError(TaskError):
    """A file that is no template, or a task that a template doesn't have."""
