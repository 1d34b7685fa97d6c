"""Studies with people: what is asked (study.toml), what they did (SQLite), and run logs of it; no web code."""
