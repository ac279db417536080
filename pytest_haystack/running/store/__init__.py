"""Answers that outlive a run: kept as they come, before anything is scored."""
