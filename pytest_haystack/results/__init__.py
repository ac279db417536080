"""What is kept of a run, and what is computed from it."""
