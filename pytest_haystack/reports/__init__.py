"""What is written of a run: each report is a function of its results."""
