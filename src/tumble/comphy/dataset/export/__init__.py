"""Other forms of a dataset: Parquet, CLEVRER's layout, Croissant metadata, a dataset card."""
