"""Haystacks from elsewhere: chosen and fetched once, listed in a lock file, then read from the cache alone."""
