"""Datasets in other formats: CLEVRER's, and Parquet tables with a dataset card and Croissant metadata."""
