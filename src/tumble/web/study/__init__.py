"""Pages of a study with people: for participants, and one for whoever runs it."""
