"""Evaluation of agents into run logs; their results, metrics and replays."""
