"""Events to be put in order of time: a task for pytest-haystack."""
