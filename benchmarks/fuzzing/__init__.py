"""The kinds of inputs that `benchmarks/fuzz.py` makes, and the processes that check them."""
