"""What a task is, as plain data: bodies, their motion in five videos, and questions about them."""
