"""How tasks are made, checked and solved."""
