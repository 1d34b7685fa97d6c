"""How tasks are checked, solved and analysed."""
