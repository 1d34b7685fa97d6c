"""The web server: pages of installed benchmarks, their security, and a queue for physics."""
