"""Models answer questions into run logs; results, metrics and replays of these."""
