"""Independent jobs side by side: in processes of this machine, or on a Ray cluster."""
