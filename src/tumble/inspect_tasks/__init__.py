"""Benchmarks as tasks of inspect_ai, which has language models attempt them; needs the extra `llm`."""
