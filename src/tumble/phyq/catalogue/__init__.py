"""What is asked, as plain data: levels, templates, tasks by id, splits."""
