"""Agents attempt tasks into run logs; results, metrics and replays of these."""
