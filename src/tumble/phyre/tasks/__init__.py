"""Tasks as plain data: tasks by id, templates, tiers, folds, task files."""
