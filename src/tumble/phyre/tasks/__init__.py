"""What is asked, as plain data: tasks by id, templates, tiers, folds."""
