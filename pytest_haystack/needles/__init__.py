"""What is hidden in a haystack, and generators of it."""
