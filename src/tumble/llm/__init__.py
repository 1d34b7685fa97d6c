"""Language and vision models as agents: prompts, answers and dialogues, for all benchmarks."""
