"""What is asked: one file a task."""
