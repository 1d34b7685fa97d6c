"""Pages on which run logs are watched: a list, a run, and attempts that are replayed."""
