"""Pages of a study with people: for participants, and one for the people who run it."""
