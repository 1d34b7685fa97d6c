"""The kernels: worlds are populated, stepped and resumed."""
