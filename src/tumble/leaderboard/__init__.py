"""A leaderboard that can be checked: a static page made from run logs, each of which is replayed on the way."""
