"""Datasets in other formats: those of PCR, CPL and CLEVRER, Parquet tables, and a folder for Hugging Face."""
