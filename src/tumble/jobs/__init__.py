"""Independent jobs run in parallel: in processes of this machine, or on a Ray cluster."""
