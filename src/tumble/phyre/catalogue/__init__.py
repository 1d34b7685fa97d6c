"""The catalogue: what a task is, templates, tasks by id, folds, task files."""
