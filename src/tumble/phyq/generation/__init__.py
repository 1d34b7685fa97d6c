"""How tasks are generated, checked and solved."""
